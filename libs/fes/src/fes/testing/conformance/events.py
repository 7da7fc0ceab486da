"""Events that the adapter suite publishes."""

from fes.link.messages import Publish
from fes.model import Event, Stamp, binary

SPEED = "Speed"
TIME_US = 1_700_000_000_000_000


def speed(rate: float, number: int = 0) -> Event:
    """Return a Speed event as the traffic scenario has it."""
    return Event.of(SPEED, license_no=f"FES{number:04}", rate=rate)


def publication(event: Event, sequence: int, *via: str) -> Publish:
    """Return the order to publish an event of an origin far away."""
    stamp = Stamp("far/away", 3, sequence, TIME_US, "elsewhere")
    return Publish(stamp, via, 0, binary.encode(event))
