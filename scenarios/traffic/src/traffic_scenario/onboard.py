"""What vehicles have on board: the CORBA Notification Service, or a CAN bus with COSMIC."""

import csv
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fes.federation.model import Broker, EventService

CNS = "cns"
COSMIC = "cosmic"

BUSES = "buses.csv"
COLUMNS = ("vehicle", "interface", "channel", "port")
INTERFACE = "udp_multicast"
GROUP = "239.74.163.2"
ADAPTER_NODE = 1
"""Number of the adapter's node; the vehicle's own is 0, which makes its identifier 12345."""


@dataclass(frozen=True, slots=True)
class CanBus:
    """The CAN bus of one vehicle: a multicast group on this host, with a port of its own.

    Attributes:
        vehicle: Whose it is.
        port: UDP port.
    """

    vehicle: str
    port: int


@dataclass(frozen=True, slots=True)
class OnBoard:
    """What the federation's file specifies of the vehicles' event services.

    Attributes:
        kind: `cns` or `cosmic`; their names begin with it.
        services: By vehicle.
        brokers: That they run on.
        can_sim: Options of can-sim that specify where its vehicles' buses are.
    """

    kind: str
    services: dict[str, EventService]
    brokers: dict[str, Broker]
    can_sim: tuple[str, ...]

    @classmethod
    def of(cls, vehicles: Sequence[str], buses: Sequence[CanBus]) -> Self:
        """Return what vehicles have on board; CAN buses where there are any."""
        if buses:
            found = {bus.vehicle: _cosmic(bus) for bus in buses}
            options = ("--bus", COSMIC, "--home-template", f"{COSMIC}-v-{{vehicle}}")
            return cls(COSMIC, found, {}, options)
        found = {vehicle: _cns(vehicle) for vehicle in vehicles}
        return cls(CNS, found, {CNS: Broker(kind="nats")}, ("--url", "{url:cns}"))

    def name(self, vehicle: str) -> str:
        """Return the event service on board of a vehicle."""
        return f"{self.kind}-v-{vehicle}"


def can_buses(vehicles: Sequence[str]) -> tuple[CanBus, ...]:
    """Return a CAN bus for each vehicle, on ports that nobody uses now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in vehicles]
    try:
        for each in sockets:
            each.bind(("", 0))
        ports = [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()
    return tuple(CanBus(vehicle, port) for vehicle, port in zip(vehicles, ports, strict=True))


def write_buses(folder: Path, buses: Sequence[CanBus]) -> None:
    """Write `buses.csv`, for can-sim; no file where there are none."""
    if not buses:
        return
    with (folder / BUSES).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((bus.vehicle, INTERFACE, GROUP, bus.port) for bus in buses)


def _cns(vehicle: str) -> EventService:
    return EventService(kind=CNS, brokers=(CNS,), settings={"channel": vehicle})


def _cosmic(bus: CanBus) -> EventService:
    address = {"interface": INTERFACE, "channel": GROUP, "port": bus.port}
    settings = {**address, "node": ADAPTER_NODE, "stamped": True}
    return EventService(kind=COSMIC, settings=settings)
