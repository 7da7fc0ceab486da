"""Publishes temperatures on a channel of the CORBA Notification Service; knows of no federation."""

import asyncio
import sys
from itertools import cycle

from eventservices.cns import ClientType, Connection, structured_event


async def main(url: str) -> None:
    async with Connection(url) as connection, await connection.open_channel("plant") as channel:
        push = channel.for_suppliers().obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await push.connect_structured_push_supplier()
        for celsius in cycle((21.0, 35.5, 28.0, 31.0)):
            data = {"celsius": celsius}
            event = structured_event(("", "Temperature"), filterable_data=data)
            await push.push_structured_event(event)
            await asyncio.sleep(0.2)


asyncio.run(main(sys.argv[1]))
