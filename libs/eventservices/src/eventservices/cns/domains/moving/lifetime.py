"""When an event that passes connections ends."""

import msgspec

from eventservices.cns.event import Event, StructuredEvent
from eventservices.cns.moved import Moved
from eventservices.cns.qos.properties import QoS
from eventservices.cns.qos.terms import in_range
from eventservices.cns.qos.times import us_of_time_t
from eventservices.cns.value import LongLong

TICKS_OF_US = 10


def ends_us(event: Event, received_us: int, moved: Moved) -> int | None:
    """Return when an event's `Timeout` is over, from where it was published on.

    Args:
        event: The event as it came.
        received_us: When its channel received it, microseconds since 1970 UTC.
        moved: How it came.

    Returns:
        Microseconds since 1970 UTC; None where it has no `Timeout`.
    """
    if moved.ends_us is not None or not isinstance(event, StructuredEvent):
        return moved.ends_us
    header = event.header.variable_header
    if QoS.TIMEOUT not in header:
        return None
    ticks = in_range(QoS.TIMEOUT, header[QoS.TIMEOUT])
    return received_us + us_of_time_t(ticks) if ticks else None


def shortened(event: Event, left_us: int) -> Event:
    """Return an event whose `Timeout` is what is left of it; another is returned as it is.

    Args:
        event: The event.
        left_us: What is left, microseconds.
    """
    if not isinstance(event, StructuredEvent) or QoS.TIMEOUT not in event.header.variable_header:
        return event
    ticks = LongLong(max(1, left_us * TICKS_OF_US))
    header = {**event.header.variable_header, str(QoS.TIMEOUT): ticks}
    changed = msgspec.structs.replace(event.header, variable_header=header)
    return msgspec.structs.replace(event, header=changed)
