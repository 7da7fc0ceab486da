"""Offenders: Speed events that the city's native SIENA client received."""

import math
from typing import Literal, TypeGuard

import msgspec
from eventservices.siena import Notification, Value
from eventservices.stamp import Stamp

from traffic_control.city import STEAM


class Offender(msgspec.Struct, frozen=True, kw_only=True):
    """One delivery, as in `offenders.jsonl`.

    Attributes:
        wall_us: When it arrived, wall clock, microseconds since 1970 UTC.
        time_us: The event's own time, on the trace's clock.
        id: Identity of the event; empty where its publisher did not stamp.
        monitor: Monitor that reported it; empty where it did not come from one.
        vehicle: Licence number.
        rate: Speed, km/h.
        path: Event services passed, oldest first.
        v: Version of the line.
    """

    wall_us: int
    time_us: int
    id: str
    monitor: str
    vehicle: str
    rate: float
    path: tuple[str, ...]
    v: Literal[1] = 1


def offender_of(notification: Notification, stamp: Stamp | None, wall_us: int) -> Offender | None:
    """Return the offender that a notification reports; None where it names none.

    Args:
        notification: A Speed event.
        stamp: Its stamp.
        wall_us: Now.
    """
    vehicle, rate = notification.get("license_no"), notification.get("rate")
    if not isinstance(vehicle, str) or not _is_speed(rate):
        return None
    path = stamp.via if stamp else ()
    last = path[-1] if path else ""
    return Offender(
        wall_us=wall_us,
        time_us=stamp.time_us if stamp else wall_us,
        id="/".join(map(str, stamp.identity)) if stamp else "",
        monitor=last.removeprefix(STEAM) if last.startswith(STEAM) else "",
        vehicle=vehicle,
        rate=float(rate),
        path=path,
    )


def _is_speed(rate: Value | None) -> TypeGuard[float]:
    return isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate)
