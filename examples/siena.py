import asyncio
import tempfile
from pathlib import Path

from eventservices.servers import NatsServer, ServerSpec
from eventservices.siena import Connection, where


async def main(url: str) -> None:
    async with Connection([url], "town") as service, service.client("city") as city:
        async with city.stream(where(("rate", ">", 70))) as speeding:
            vehicle = service.client("vehicle")
            await vehicle.publish({"licence": "FES0001", "rate": 50.0})
            await vehicle.publish({"licence": "FES0001", "rate": 83.0})
            notification, stamp = await anext(speeding)
            print(notification["licence"], notification["rate"], stamp.origin)


with tempfile.TemporaryDirectory() as folder:
    with NatsServer(ServerSpec("example", Path(folder))) as server:
        asyncio.run(main(server.url))
