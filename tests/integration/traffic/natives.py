"""Native applications of each event service, which know nothing of the federation."""

import json
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from eventservices.cns import Connection as CnsConnection
from eventservices.cns import structured_event
from eventservices.siena import Connection as SienaConnection
from eventservices.steam import Air, AirSettings, Event, FixedLocation, NodeSettings, around
from fes.testing.eventually import eventually
from integration.cns.clients import structured_supplier
from support.judge.runs import place
from support.processes.federation import Observer

EVENT = {"cns": "event", "siena": "notification", "steam": "event"}
"""What the observers call an event."""

_numbers = count(1)


@dataclass(frozen=True)
class Natives:
    """One native client at each event service, which tells what it hears, and others that speak.

    Attributes:
        urls: Addresses of the brokers.
        observers: The clients that listen, by kind of event service.
    """

    urls: dict[str, str]
    observers: dict[str, Observer]

    def heard(self, kind: str, about: str) -> int:
        """Return how many events that speak of something a native client has heard."""
        return self.observers[kind].saw(EVENT[kind], about)

    async def speak(self, kind: str, subject: str, time_us: int | None = None) -> str:
        """Publish an event natively; return the word in it that no other has."""
        word = f"word-{next(_numbers)}"
        say = {"cns": self._on_bus, "siena": self._in_city, "steam": self._on_air}[kind]
        await say(subject, word, time_us)
        return word

    async def understand_each_other(self, kind: str) -> None:
        """Have native clients speak until one hears it."""

        async def is_heard() -> bool:
            word = await self.speak(kind, "Hello")
            return bool(await eventually(lambda: self.heard(kind, word), 1.0, "a native event"))

        await eventually(is_heard, 15.0, f"{kind}: native clients hear one another")

    async def _on_bus(self, subject: str, word: str, time_us: int | None) -> None:
        async with CnsConnection(self.urls["cns"], name="native") as connection:
            channel = await connection.open_channel("FES0001")
            supplier = await structured_supplier(channel)
            event = structured_event(("", subject), subject, filterable_data={"word": word})
            await supplier.push_structured_event(event, time_us=time_us)
            await connection.probe()

    async def _in_city(self, subject: str, word: str, time_us: int | None) -> None:
        urls = [self.urls["siena-1"]]
        async with SienaConnection(urls, "siena-m", index="FES_Subject") as connection:
            client = connection.client("native")
            await client.publish({"FES_Subject": subject, "word": word}, time_us=time_us)
            await connection.probe()

    async def _on_air(self, subject: str, word: str, time_us: int | None) -> None:
        settings = AirSettings(self.urls["air"], "traffic.air", cell_edge_m=300.0)
        async with Air(settings) as air:
            node = air.node(NodeSettings("native", 300.0), FixedLocation(*place(90.0, 0.0)))
            node.announce(subject, around(300.0))
            node.publish(Event(subject, {"word": word}), time_us=time_us)
            await air.probe()


def trace_time_us(folder: Path) -> int:
    """Return what time it is on the clock of a run."""
    clock = json.loads((folder / "clock.json").read_text())
    elapsed_us = time.time_ns() // 1000 - clock["wall_start_us"]
    time_us: float = clock["start_us"] + elapsed_us * clock["speed"]
    return round(time_us)
