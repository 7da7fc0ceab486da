import asyncio
import tempfile
from pathlib import Path

from eventservices.servers import NatsServer, ServerSpec
from eventservices.steam import Air, AirSettings, Event, FixedLocation, NodeSettings, Term, around


async def main(url: str) -> None:
    async with Air(AirSettings(url, name="example")) as air:
        vehicle = air.node(NodeSettings("vehicle", range_m=300), FixedLocation(50.020, 11.490))
        monitor = air.node(NodeSettings("monitor", range_m=150), FixedLocation(50.021, 11.490))
        async with monitor.listen("Speed", [Term("rate", ">", 70.0)]) as inbox:
            vehicle.announce("Speed", around(300))
            vehicle.publish(Event("Speed", {"rate": 50.0}))
            vehicle.publish(Event("Speed", {"rate": 83.0}))
            event = await anext(inbox)
            print(event.parameters["rate"], "km/h")


with tempfile.TemporaryDirectory() as folder:
    with NatsServer(ServerSpec("example", Path(folder), mqtt=True)) as server:
        asyncio.run(main(server.mqtt_url))
