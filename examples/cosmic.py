import asyncio

from eventservices.cosmic import Bus, BusSettings, Event, Interface, NodeSettings

SETTINGS = BusSettings(Interface("virtual", "example"), hashed=True)  # no broker is needed


async def main() -> None:
    async with Bus(SETTINGS) as bus:
        engine = bus.node(NodeSettings("engine", number=1))
        display = bus.node(NodeSettings("display", number=2))
        speed = await display.subscribe("Speed")
        await engine.announce("Speed")
        engine.publish(Event("Speed", bytes((83,))))
        event = await speed.get()
        print(event.content[0], "km/h from", event.stamp.origin)


asyncio.run(main())
