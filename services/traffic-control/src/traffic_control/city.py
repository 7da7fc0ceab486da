"""The city's view of the federation: its SIENA service, and its monitors."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fes.errors import FesError
from fes.federation.address import address
from fes.federation.load import load
from fes.federation.model import Federation
from msgspec import UNSET

from traffic_control.errors import InputError
from traffic_control.monitors import Limit, read_limits

KIND: Final = "siena"
STEAM: Final = "steam-m-"
"""Prefix of a monitor's name in the identifier of its event service on the air."""


@dataclass(frozen=True, slots=True)
class Monitor:
    """A monitor at the road side.

    Attributes:
        name: Its name.
        destination: Its event service on the air, where its limit is applied.
        gateways: Gateways that are attached to it.
        limit_kmh: Its limit at the start.
    """

    name: str
    destination: str
    gateways: tuple[str, ...]
    limit_kmh: float


@dataclass(frozen=True, slots=True)
class City:
    """The place of the city in the federation.

    Attributes:
        system: System identifier.
        service: Its SIENA service: the Source of its requests.
        brokers: Addresses of that service's servers.
        settings: Settings of that service.
        monitors: In the order of `monitors.csv`.
        wall_start_us: When the run's clock began, microseconds since 1970 UTC; 0 where the file
            does not state it.
    """

    system: str
    service: str
    brokers: tuple[str, ...]
    settings: Mapping[str, Any]
    monitors: tuple[Monitor, ...]
    wall_start_us: int


def read_city(run: Path, file: Path, environment: Mapping[str, str]) -> City:
    """Return the city that a run's files describe.

    Args:
        run: The run folder, with `monitors.csv`.
        file: The federation file, resolved.
        environment: For variables and overrides in the file.

    Raises:
        InputError: A file is not valid, or they do not fit each other.
    """
    try:
        federation = load(file, environment)
    except FesError as error:
        raise InputError(str(error)) from error
    service = _siena(federation, file)
    clock = federation.clock
    return City(
        system=federation.system,
        service=service,
        brokers=_addresses(federation, service, file),
        settings=federation.event_services[service].settings,
        monitors=tuple(
            _monitor(federation, name, limit)
            for name, limit in read_limits(run / "monitors.csv").items()
        ),
        wall_start_us=0 if clock.wall_start_us is UNSET else clock.wall_start_us,
    )


def _siena(federation: Federation, file: Path) -> str:
    found = [name for name, one in federation.event_services.items() if one.kind == KIND]
    if len(found) != 1:
        raise InputError(f"{file}: the city needs one event service of kind {KIND}, found {found}")
    return found[0]


def _addresses(federation: Federation, service: str, file: Path) -> tuple[str, ...]:
    try:
        brokers = federation.event_services[service].brokers
        return tuple(address(federation, name) for name in brokers)
    except FesError as error:
        raise InputError(f"{file}: {error}") from error


def _monitor(federation: Federation, name: str, limit: Limit) -> Monitor:
    destination = f"{STEAM}{name}"
    attached = tuple(
        gateway for gateway, one in federation.gateways.items() if destination in one.adapters
    )
    if not attached:
        raise InputError(
            f"{limit.place}: column monitor: no gateway is attached to {destination[:120]!r}"
        )
    return Monitor(name, destination, attached, limit.kmh)
