"""What rules speak of: users and their groups, places, stations, badges, names of events."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec
from eventservices.bus.errors import EventNameError
from eventservices.bus.names import chain_of, check_name, domain_of
from fes.federation import InvalidFederationError, struct_of
from msgspec import Meta
from serving.text import read_bytes

from fes_policy.errors import PolicyError

Name = Annotated[str, Meta(min_length=1, max_length=255)]
MOST_BYTES = 16 * 1024 * 1024


class User(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A user.

    Attributes:
        groups: That the user is in.
        badges: Six bytes each, hexadecimal.
    """

    groups: tuple[Name, ...] = ()
    badges: tuple[Annotated[str, Meta(pattern="^[0-9a-f]{12}$")], ...] = ()


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place.

    Attributes:
        within: The place that it is a part of; "" where there is none.
        stations: Whose sightings report that somebody is there.
    """

    within: str = ""
    stations: tuple[Name, ...] = ()


class Building(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A building's file.

    Attributes:
        users: By name.
        places: By name.
        events: Names of events that rules are checked against when they are loaded.
        devices: Types of devices, likewise.
        sighting: Name of the event that reports where badges are.
        greatest_age_s: After which a sighting is void; seconds.
        lifetime_s: How long a decision applies; seconds.
    """

    users: dict[Name, User] = {}
    places: dict[Name, Place] = {}
    events: tuple[Name, ...] = ()
    devices: tuple[Name, ...] = ("desk", "handheld")
    sighting: str = "ie.tcd.cs.ActiveBadge"
    greatest_age_s: Annotated[float, Meta(gt=0, le=86_400)] = 300.0
    lifetime_s: Annotated[float, Meta(ge=1, le=3_600)] = 30.0

    def around(self, place: str) -> tuple[str, ...]:
        """Return a place and those that it is within."""
        found: list[str] = []
        while place and place not in found:
            found.append(place)
            place = self.places[place].within if place in self.places else ""
        return tuple(found)


def load_building(path: Path) -> Building:
    """Return a building from its file.

    Raises:
        PolicyError: It cannot be read, or is not valid; the message names file and key.
    """
    building: Building = read_yaml(path, Building)
    for name, place in building.places.items():
        if place.within and place.within not in building.places:
            raise PolicyError(f"{path}: places.{name}.within: no place {place.within!r}")
        if building.around(name)[-1:] and _is_circle(building, name):
            raise PolicyError(f"{path}: places.{name}: it is within itself")
    for name in (*building.events, building.sighting):
        try:
            check_name(name)
        except EventNameError as error:
            raise PolicyError(f"{path}: events: {error}") from error
    return building


def _is_circle(building: Building, name: str) -> bool:
    last = building.around(name)[-1]
    return last in building.places and bool(building.places[last].within)


def read_yaml(path: Path, kind: type[Any]) -> Any:
    """Return the content of a YAML file.

    Raises:
        PolicyError: It cannot be read, or is not valid; the message names file, line and key.
    """
    try:
        return struct_of(read_bytes(path, MOST_BYTES), str(path), kind)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror or error}") from error
    except InvalidFederationError as error:
        raise PolicyError(str(error)) from error


def user_entity(building: Building, name: str) -> dict[str, Any]:
    """Return a user as an entity of Cedar."""
    groups = building.users[name].groups if name in building.users else ()
    return _entity("User", name, [("Group", group) for group in groups])


def event_entities(name: str) -> list[dict[str, Any]]:
    """Return an event and the domains that it lies in, as entities of Cedar."""
    chain = list(chain_of(domain_of(name)))
    entities = [_entity("Event", name, [("Domain", chain[0])])]
    for domain, above in pairwise(chain):
        entities.append(_entity("Domain", domain, [("Domain", above)]))
    return entities


def _entity(kind: str, name: str, parents: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "uid": {"type": kind, "id": name},
        "attrs": {},
        "parents": [{"type": each, "id": parent} for each, parent in parents],
    }
