"""Who announces what, and who subscribes to what, natively: as the native observer saw it."""

from collections.abc import Iterable
from pathlib import Path

from traffic_control_events.judge.records import Line, read_lines
from traffic_control_events.story import (
    BRAKE,
    BUS,
    CITY,
    CONTROL,
    GATEWAYS,
    INDEX,
    LIMIT_MPH,
    SEEN_AIR,
    SEEN_BUS,
    SEEN_CITY,
    SENDER,
    SPEED,
)

OFFERED, WANTED = "offered", "wanted"
AIR_WORDS = {"announcement": OFFERED, "join": WANTED}
CITY_WORDS = {"advertisement": OFFERED, "subscription": WANTED}


def expected(speaking: Iterable[str]) -> frozenset[str]:
    """Return all that has to be declared.

    The vehicle's gateway subscribes to speeds on its bus; control events are announced and
    subscribed to on the air; the city's client subscribes to what it needs, and a publisher there
    announces it first.

    Args:
        speaking: Monitors that received the vehicle, so that their gateways publish in the city.
    """
    city = [f"{CITY}: siena-sub {WANTED} {_filter(SPEED, f'rate >{LIMIT_MPH}')}"]
    air = [f"air: g1.{SENDER} {OFFERED} {CONTROL}"]
    for monitor, gateway in GATEWAYS.items():
        air.append(f"air: {gateway}.{monitor} {WANTED} {CONTROL}")
        city.append(f"{CITY}: {gateway}.{CITY} {WANTED} {_filter(CONTROL)}")
        if monitor in speaking:
            told = _filter(SPEED, "license_no any rate any")
            city.append(f"{CITY}: {gateway}.{CITY} {OFFERED} {told}")
    bus = (f"{BUS}: {OFFERED} {SPEED}", f"{BUS}: {OFFERED} {BRAKE}", f"{BUS}: {WANTED} {SPEED}")
    return frozenset((*bus, *air, *city))


def read_declared(folder: Path) -> frozenset[str]:
    """Return all that was declared while a run went on, each once.

    Args:
        folder: The run folder.

    Raises:
        UnjudgedError: A file cannot be read.
    """
    found: set[str] = set()
    for name, read in ((SEEN_BUS, _on_bus), (SEEN_AIR, _on_air), (SEEN_CITY, _in_city)):
        for told in read_lines(folder / name, read):
            found.update(told)
    return frozenset(found)


def _on_bus(line: Line) -> list[str]:
    match line["seen"]:
        case "member":
            offers, wants = line["offers"], line["subscriptions"]
        case "offer_change":
            offers, wants = line["added"], ()
        case "subscription_change":
            offers, wants = (), line["added"]
        case _:
            return []
    told = [f"{BUS}: {OFFERED} {kind}" for _, kind in offers]
    return told + [f"{BUS}: {WANTED} {kind}" for _, kind in wants]


def _on_air(line: Line) -> list[str]:
    word = AIR_WORDS.get(line["seen"])
    return [f"air: {line['node']} {word} {line['subject']}"] if word else []


def _in_city(line: Line) -> list[str]:
    word = CITY_WORDS.get(line["type"])
    return [f"{CITY}: {line['party']} {word} {line['filter']}"] if word else []


def _filter(subject: str, more: str = "") -> str:
    """Return a filter as SIENA writes it."""
    return f'filter{{ {INDEX} ="{subject}"{" " * bool(more)}{more}}}'
