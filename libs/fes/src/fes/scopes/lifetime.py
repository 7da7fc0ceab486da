"""What is left of an event's life after it waited."""

from fes.errors import EventError
from fes.model import Event
from fes.model.attributes import TIMEOUT, expires_us


def remaining(event: Event, since_us: int, now_us: int) -> Event | None:
    """Return an event whose `Timeout` is what is left of it; None where it expired.

    Args:
        event: As it was when it began to wait.
        since_us: When its `Timeout` began, federation clock.
        now_us: Federation clock.
    """
    try:
        end_us = expires_us(event, since_us)
    except EventError:
        return event  # a malformed event does not specify its end
    if end_us and end_us <= now_us:
        return None
    timeout = event.attribute(TIMEOUT)
    if isinstance(timeout, int | float):
        return event.with_attributes({TIMEOUT: timeout - (now_us - since_us) / 1e6})
    return event
