"""What a gateway adds to the naming service, and what it makes of its answers."""

from typing import Any

import pytest
from eventservices.bus.binding.ports import Found
from fes.federation.guides import NamingPart
from fes_gateway.guide.places import Places
from msgspec import UNSET


class Names:
    """Stands for a naming service."""

    def __init__(self) -> None:
        self.known: dict[str, set[str]] = {}
        self.away = False
        self.calls = 0

    async def add(self, name: str, bus: str) -> bool:
        self.calls += 1
        if not self.away:
            self.known.setdefault(name, set()).add(bus)
        return not self.away

    async def remove(self, name: str, bus: str) -> bool:
        self.known.get(name, set()).discard(bus)
        return not self.away

    async def lookup(self, name: str) -> Found:
        return Found(None if self.away else tuple(self.known.get(name, ())), 2.0)


class Stage:
    """Places with a naming service and a clock."""

    def __init__(self, **keys: Any) -> None:
        self.now_s, self.names = 0.0, Names()
        part = NamingPart(broker="n", building="B", servers=("h",), **keys)
        services = ("north", "south")
        self.places = Places(part, services, self.names, lambda: self.now_s, lambda _: None)  # type: ignore[arg-type] # a stand-in


async def test_announcements_are_added_renewed_and_removed() -> None:
    stage = Stage()
    await stage.places.feed({("Speed", "north")})
    await stage.places.feed({("Speed", "north")})
    assert (stage.names.known, stage.names.calls) == ({"Speed": {"north"}}, 1)
    stage.now_s = 21.0
    await stage.places.feed({("Speed", "north")})
    assert stage.names.calls == 2
    await stage.places.feed(set())
    assert stage.names.known == {"Speed": set()}


async def test_what_could_not_be_added_is_tried_again_soon() -> None:
    stage = Stage()
    stage.names.away = True
    await stage.places.feed({("Speed", "north")})
    stage.names.away, stage.now_s = False, 1.5
    await stage.places.feed({("Speed", "north")})
    assert stage.names.known == {"Speed": {"north"}}


async def test_without_announces_nothing_is_added() -> None:
    stage = Stage(announces=False)
    await stage.places.feed({("Speed", "north")})
    assert stage.names.calls == 0


async def test_a_subject_that_is_not_a_name_is_neither_added_nor_looked_up() -> None:
    stage = Stage()
    await stage.places.feed({("two words", "north")})
    assert stage.names.calls == 0
    assert (await stage.places.lookup("two words"))[0] is None


@pytest.mark.parametrize(("buses", "expected"), [("south", ("north", "south")), (UNSET, None)])
async def test_a_bus_is_the_event_service_of_the_buildings_buses(
    buses: Any, expected: tuple[str, ...] | None
) -> None:
    stage = Stage(buses=buses)
    stage.names.known = {"Speed": {"north", "room-12"}}
    assert (await stage.places.lookup("Speed"))[0] == expected
