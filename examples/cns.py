import asyncio
import tempfile
from pathlib import Path

from eventservices.cns import ClientType, Connection, structured_event
from eventservices.servers import NatsServer, ServerSpec


async def main(url: str) -> None:
    async with Connection(url) as connection, await connection.open_channel("alarms") as channel:
        consumers, suppliers = channel.for_consumers(), channel.for_suppliers()
        pull = consumers.obtain_notification_pull_supplier(ClientType.STRUCTURED_EVENT)
        push = suppliers.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        await pull.connect_structured_pull_consumer()
        await push.connect_structured_push_supplier()
        await push.push_structured_event(structured_event(("Telecom", "Alarm"), "link down"))
        print((await pull.pull_structured_event()).event_name)


with tempfile.TemporaryDirectory() as folder:
    with NatsServer(ServerSpec("example", Path(folder))) as server:
        asyncio.run(main(server.url))
