"""A run folder with all that a run needs: story, federation, and the files of the services."""

import json
import socket
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import msgspec
from fes.federation import dump
from fes.federation.load import load
from fes.federation.model import Application, Federation
from scenario_kit.run_folder import FEDERATION
from serving.files import write_whole

from building_walk import story
from building_walk.story import (
    CITY,
    DESK,
    DOORS,
    ENTRY,
    HANDHELD,
    LIFETIME_S,
    LOG,
    MAIL,
    OFFICE,
    PRINTER,
    SIGHTING,
    Story,
)

NATIVES: Final = ("python", "-m", "building_walk.natives")
LINKS: Final = "***THIS_DOMAIN_IS***=.\n"
SIGHTING_LASTS_S: Final = 6.0
SERVICES: Final = ("naming", "policy")
GATEWAYS: Final = ("g-doors", "g-air", "g-city")
APART: Final = (*GATEWAYS, "g-doors.doors", "g-air.oreilly", "g-city.city")
"""What gets a process of its own where services are restarted; one adapter of each gateway."""


def restarted(rooms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the processes that are restarted in turn, as `fes run` names them."""
    buses = tuple(bus_name(each) for each in (*rooms, OFFICE))
    return (*SERVICES, *buses, *APART)


def bus_name(bus: str) -> str:
    """Return the name of a bus's process."""
    return f"bus-{bus}"


def plan(folder: Path, walk: Story) -> None:
    """Write a run's files.

    Raises:
        FesError: The federation is not valid.
    """
    story.write(folder, walk)
    write_whole(folder / "links", LINKS)
    write_whole(folder / "building.yaml", json.dumps(building_of(walk), indent=1) + "\n")
    write_whole(folder / "rules.cedar", rules_of(walk))
    with as_file(files("building_walk") / FEDERATION) as path:
        federation = load(path, {})
    write_whole(folder / FEDERATION, dump(federation_of(federation, walk)))


def federation_of(federation: Federation, walk: Story) -> Federation:
    """Return the scenario's federation with a bus for each room, and a CAN bus of its own."""
    port = _free_udp_port()
    doors = federation.event_services["doors"]
    settings = {**doors.settings, "port": port}
    buses = {bus_name(each): _bus(each) for each in (*walk.rooms, OFFICE)}
    play = Application(
        command=(
            *NATIVES, "walk", "--run", "{run}", "--nats", "{url:building}",
            "--air", "{url:air}", "--city", "{url:city}", "--doors", str(port),
        ),
        after=(*federation.applications, *buses, *federation.gateways),
        ends_run=True,
    )  # fmt: skip
    return msgspec.structs.replace(
        federation,
        event_services={
            **federation.event_services,
            "doors": msgspec.structs.replace(doors, settings=settings),
        },
        applications={**federation.applications, **buses, "walk": play},
    )


def building_of(walk: Story) -> dict[str, object]:
    """Return people and places as the policy service reads them; JSON is YAML, too."""
    people = {
        name: {"groups": ["staff"], "badges": [person.badge]}
        for name, person in walk.people.items()
        if person.staff
    }
    return {
        "users": {**people, **{name: {} for name in (LOG, DESK, DOORS, CITY, "fes")}},
        "places": {room: {"stations": list(each)} for room, each in walk.rooms.items()},
        "events": [SIGHTING, ENTRY, MAIL],
        "devices": [DESK, HANDHELD, PRINTER, "gateway", LOG],
        "sighting": SIGHTING,
        "greatest_age_s": SIGHTING_LASTS_S,
        "lifetime_s": LIFETIME_S,
    }


def rules_of(walk: Story) -> str:
    """Return the building's rules: who may receive what, where."""
    rights = " OR ".join(
        f"(room = '{room}' AND tag IN ({_listed(tags)}))"
        for room in walk.rooms
        if (tags := [each.badge for each in walk.people.values() if room in each.rooms])
    )
    visitors = _listed([each.badge for name, each in walk.people.items() if walk.is_visitor(name)])
    everything = f'resource in Domain::"{SIGHTING.rpartition(".")[0]}."'
    return "\n".join(
        (
            f'@id("services") permit (principal, action, {everything})',
            'when { context.bus == "policy" || principal == User::"fes" };',
            f'@id("log") permit (principal == User::"{LOG}", action, {everything});',
            f'@id("desks-see") permit (principal == User::"{DESK}", action, {_event(SIGHTING)});',
            f'@id("doors") @filter("{rights or "FALSE"}")',
            f'permit (principal == User::"doors", action, {_event(ENTRY)});',
            f'@id("visitors") @filter("tag IN ({visitors})")',
            f"permit (principal, action, {_event(SIGHTING)})",
            'when { principal == User::"city" || context.device == "handheld" };',
            *(rule for name, each in walk.people.items() if each.staff for rule in _mail(name)),
            "",
        )
    )


def _mail(owner: str) -> tuple[str, ...]:
    """Return the rules of somebody's mail; the room's bus has the name of the room."""
    permit = f'permit (principal == User::"{owner}", action, {_event(MAIL)})'
    return (
        f"""@id("headlines-{owner}") @filter("owner = '{owner}'") {permit}""",
        'when { context.device == "handheld" };',
        f"""@id("mail-follows-{owner}") @filter("owner = '{owner}'") {permit}""",
        'when { context.device == "desk" && context has place',
        "       && context.place == context.bus };",
    )


def _event(name: str) -> str:
    return f'resource == Event::"{name}"'


def _listed(tags: list[str]) -> str:
    return ", ".join(f"'{each}'" for each in tags)


def _bus(bus: str) -> Application:
    return Application(
        command=(
            *NATIVES, "bus", "--run", "{run}", "--nats", "{url:building}", "--bus", bus,
        ),
        after=SERVICES,
    )  # fmt: skip


def _free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])
