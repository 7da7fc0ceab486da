"""The federation of a run: one gateway a vehicle, one a monitor, one SIENA in the city.

    vehicle                              air               road side              city
    cns-v ═ g-v ═ steam-v ))) )) )   ( (( ((( steam-m ═ g-m ═ siena-m ─ traffic-control

A vehicle may have a CAN bus instead: `cosmic-v` in the place of `cns-v`.

Source:
    FES thesis, section 5.8; design, section 11.
"""

from collections.abc import Sequence

from fes.federation.model import (
    Adapter,
    Application,
    Broker,
    Clock,
    Control,
    EventService,
    Federation,
    Gateway,
    Http,
    Medium,
    Request,
    Settings,
)

from traffic_scenario.onboard import CanBus, OnBoard
from traffic_scenario.runfolder import TRACE, Monitor, Plan

SYSTEM = "traffic"
AIR = "air"
CITY = "siena-m"
VEHICLE_RANGE_M = 300.0
"""Radio range of a vehicle, unless a monitor receives farther."""

CAN_SPEED = "can-speed"
AIR_SPEED = "air-speed"
CAN_ID = 12345
CONTROL_EVENTS = 'filter{ FES_Subject ="FES_ControlEvent" }'
"""What the observer in the city counts."""
PLAUSIBLE_KMH = {"min": 0, "max": 250}
"""What a vehicle on a road may do, km/h; an event with another speed is left out."""

_SILENT = Control(accept=(), relay=False)
"""No control event enters, none is passed on: requests stay off the buses and off the air."""


def describe(plan: Plan, speed: float, port: int, buses: Sequence[CanBus] = ()) -> Federation:
    """Return the federation of a run.

    Args:
        plan: Vehicles and monitors; their names contain letters, digits, `_` and `-` only.
        speed: Seconds of the trace in a second of the wall clock.
        port: Where traffic-control listens, on loopback.
        buses: The CAN bus of each vehicle; none where vehicles have the CORBA Notification Service
            on board.
    """
    on_board = OnBoard.of(plan.vehicles, buses)
    range_m = vehicle_range_m(plan.monitors)
    return Federation(
        version=1,
        system=SYSTEM,
        clock=Clock(start=plan.start_us / 1e6, speed=speed),
        media={AIR: Medium(description="wireless, shared by vehicles and monitors")},
        brokers={
            **on_board.brokers,
            "air": Broker(kind="mqtt"),
            "siena-1": Broker(kind="nats", cluster="siena"),
            "siena-2": Broker(kind="nats", cluster="siena"),
        },
        event_services=_event_services(plan, range_m, on_board),
        gateways=_gateways(plan, on_board),
        mappings=_mappings(range_m),
        requests=tuple(_on_the_air(vehicle, on_board) for vehicle in plan.vehicles),
        applications=_applications(port, on_board, range_m),
        http=Http(port=0),
    )


def vehicle_range_m(monitors: tuple[Monitor, ...]) -> float:
    """Return the radio range of a vehicle: so far that every monitor's own range decides."""
    return max([VEHICLE_RANGE_M, *(monitor.radius_m for monitor in monitors)])


def sender_of(vehicle: str) -> str:
    """Return a vehicle's access point to the air."""
    return f"steam-v-{vehicle}"


def receiver_of(monitor: str) -> str:
    """Return a monitor's access point to the air."""
    return f"steam-m-{monitor}"


def _event_services(plan: Plan, range_m: float, on_board: OnBoard) -> dict[str, EventService]:
    services = {}
    for vehicle in plan.vehicles:
        services[on_board.name(vehicle)] = on_board.services[vehicle]
        place: Settings = {"trace": TRACE, "vehicle": vehicle}
        services[sender_of(vehicle)] = _steam(range_m, range_m, place)
    for monitor in plan.monitors:
        spot: Settings = {"lat": monitor.lat, "lon": monitor.lon}
        services[receiver_of(monitor.name)] = _steam(monitor.radius_m, range_m, spot)
    services[CITY] = EventService(
        kind="siena", brokers=("siena-1", "siena-2"), settings={"index": "FES_Subject"}
    )
    return services


def _steam(range_m: float, largest_range_m: float, location: Settings) -> EventService:
    settings: Settings = {"range_m": range_m, "cell_edge_m": largest_range_m, "location": location}
    return EventService(kind="steam", brokers=("air",), medium=AIR, settings=settings)


def _gateways(plan: Plan, on_board: OnBoard) -> dict[str, Gateway]:
    gateways = {}
    for vehicle in plan.vehicles:
        gateways[f"g-v-{vehicle}"] = Gateway(
            adapters={
                on_board.name(vehicle): Adapter(mappings=(CAN_SPEED,), control=_SILENT),
                sender_of(vehicle): Adapter(mappings=(AIR_SPEED,), control=_SILENT),
            }
        )
    for monitor in plan.monitors:
        gateways[f"g-m-{monitor.name}"] = Gateway(
            adapters={
                receiver_of(monitor.name): Adapter(control=_SILENT),
                CITY: Adapter(),
            }
        )
    return gateways


def _mappings(range_m: float) -> dict[str, tuple[Settings, ...]]:
    """Return the rules for the frame on the bus, and for how far a speed is of interest."""
    frame: Settings = {
        "native": {"can_id": CAN_ID, "extended": True},
        "subject": "Speed",
        "identity": "native",
        "parameters": {
            "license_no": {"bytes": [0, 6], "type": "string"},
            "rate": {"bytes": [7, 7], "type": "double", "range": dict(PLAUSIBLE_KMH)},
        },
    }
    nearby: Settings = {
        "subject": "Speed",
        "attributes": {"Proximity": {"constant": f"0,1,0,0,{_plain(range_m)}"}},
    }
    return {CAN_SPEED: (frame,), AIR_SPEED: (nearby,)}


def _on_the_air(vehicle: str, on_board: OnBoard) -> Request:
    """Return the request that lets a vehicle's speed surface on the air."""
    return Request(
        gateway=f"g-v-{vehicle}",
        type="subscription",
        source=sender_of(vehicle),
        dist_list=on_board.name(vehicle),
        filter="subject = 'Speed'",
    )


def _applications(port: int, on_board: OnBoard, range_m: float) -> dict[str, Application]:
    """Return the city, the fleet, and two native observers, whose records the judge reads."""
    city = ("traffic-control", "serve", "--run", "{run}", "--port", str(port))
    fleet = (
        *("can-sim", "run", "--run", "{run}", *on_board.can_sim, "--speedup", "{speed}"),
        *("--clock-start-wall-us", "{wall_start_us}"),
    )
    air = (
        *("python", "-m", "eventservices.steam", "observe", "--no-events", "--url", "{url:air}"),
        *("--air", f"{SYSTEM}.{AIR}", "--cell", _plain(range_m), "--out", "{run}/seen-air.jsonl"),
    )
    control = (
        *("python", "-m", "eventservices.siena", "observe", "--count", "--url", "{url:siena-1}"),
        *("--url", "{url:siena-2}", "--service", CITY, "--index", "FES_Subject"),
        *("--filter", CONTROL_EVENTS, "--out", "{run}/seen-city.jsonl"),
    )
    return {
        "air-observer": Application(command=air, ends_last=True),
        "city-observer": Application(command=control, ends_last=True),
        "traffic-control": Application(command=city, ready=f"http://127.0.0.1:{port}/readyz"),
        "can-sim": Application(command=fleet, after=("traffic-control",), ends_run=True),
    }


def _plain(number: float) -> str:
    """Return a number without a fraction that is none."""
    return str(int(number)) if number == int(number) else repr(number)
