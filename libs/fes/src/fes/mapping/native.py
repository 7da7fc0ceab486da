"""The neutral form of a native event, between an adapter and its mapping."""

from dataclasses import dataclass

from fes.model import Field


@dataclass(frozen=True, slots=True)
class Native:
    """An event in its event service's terms; what the service does not have stays empty.

    Attributes:
        subject: The service's own event type; None where it has none (a CAN frame).
        parameters: Named values, in the producer's order.
        attributes: Named context, in the producer's order.
        octets: Payload without structure; None where the event is structured.
        can_id: CAN identifier, 11 or 29 bit; None where the event is not a CAN frame.
        extended: Whether `can_id` is a 29-bit identifier.
        time_us: The native event's own time, microseconds since 1970 UTC; None where it has none.
    """

    subject: str | None = None
    parameters: tuple[Field, ...] = ()
    attributes: tuple[Field, ...] = ()
    octets: bytes | None = None
    can_id: int | None = None
    extended: bool = False
    time_us: int | None = None


def describe(native: Native) -> str:
    """Return the name of a kind of native event for logs and counters.

    Returns:
        The subject, or the identifier as candump writes it: three digits for 11 bit, eight for 29.
    """
    if native.can_id is None:
        return native.subject[:100] if native.subject else "(no subject)"
    return f"{native.can_id:08X}" if native.extended else f"{native.can_id:03X}"
