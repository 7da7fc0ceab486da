"""What clients and their bus send one another over NATS, as MessagePack."""

from typing import Any, Final

import msgspec

from eventservices.bus import errors
from eventservices.bus.errors import BusError, SubscriptionError
from eventservices.bus.filters import Filter
from eventservices.bus.wire.messages import Event, MessageError
from eventservices.stamp import Stamp


class Advertise(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Requests to be a source."""

    name: str


class Unadvertise(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Ends a source; the name may be "" where only the number is known."""

    name: str
    source: int


class Subscribe(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Requests to be a sink; `user` is a token where the bus requests tokens."""

    name: str
    filter: Filter | None
    user: str
    device: str
    durable: str


class Refilter(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Replaces a sink's filter."""

    sink: int
    filter: Filter


class Unsubscribe(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Ends a sink."""

    sink: int


class Notify(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Sends an event."""

    source: int
    values: dict[str, Any]
    attributes: dict[str, Any]
    persistent: bool
    stamp: Stamp | None


class Delivered(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Confirms a delivery; not answered."""

    sink: int
    serial: int


class AutoCleanUp(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Has the bus watch the client, or no longer."""

    watch: bool


class Alive(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Answers `AreYouThere`; not answered."""


class Leave(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Ends the client's sources and sinks; durable sinks wait for it."""


Request = (
    Advertise | Unadvertise | Subscribe | Refilter | Unsubscribe | Notify | Delivered
    | AutoCleanUp | Alive | Leave
)  # fmt: skip


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A request, numbered by its client; 0 where no answer is expected."""

    number: int
    request: Request


class Answer(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Answers a call.

    Attributes:
        call: Its number.
        number: What was requested.
        error: Class of the exception; "" where there is none.
        reason: For people.
        code: The exception's number, where it has one.
    """

    call: int
    number: int
    error: str = ""
    reason: str = ""
    code: int = 0


class Delivery(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Brings an event to a sink."""

    sink: int
    serial: int
    event: Event


class SinkEnded(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that a sink receives no more of a bus."""

    sink: int
    bus: str
    reason: str


class AreYouThere(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Queries whether a watched client is alive."""


class NotKnown(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that the bus was restarted and does not know the client."""


Push = Answer | Delivery | SinkEnded | AreYouThere | NotKnown

_ENCODER: Final = msgspec.msgpack.Encoder()
_CALLS: Final = msgspec.msgpack.Decoder(Call)
_PUSHES: Final = msgspec.msgpack.Decoder(Push)


def encode(message: Call | Push) -> bytes:
    """Return the bytes of a call or a push."""
    return _ENCODER.encode(message)


def decode_call(data: bytes) -> Call:
    """Return a client's call.

    Raises:
        MessageError: It is none.
    """
    try:
        return _CALLS.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MessageError(f"not a client's call: {error}") from error


def decode_push(data: bytes) -> Push:
    """Return what a bus sent its client.

    Raises:
        MessageError: It is nothing of the kind.
    """
    try:
        found: Push = _PUSHES.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MessageError(f"not a bus's answer: {error}") from error
    return found


_CLASSES: Final[dict[str, type[BusError]]] = {
    each.__name__: each
    for each in (
        errors.EventNameError,
        errors.FilterError,
        errors.TypeMismatchError,
        errors.AdvertiseError,
        errors.UnadvertiseError,
        errors.UnsubscribeError,
        errors.NotifyError,
    )
}


def answer_of(call: int, number: int, error: BusError | None) -> Answer:
    """Return the answer to a call."""
    if error is None:
        return Answer(call, number)
    code = error.number if isinstance(error, SubscriptionError) else 0
    return Answer(call, number, type(error).__name__, str(error), code)


def error_of(answer: Answer) -> BusError | None:
    """Return the exception that an answer brings; None where it brings none."""
    if not answer.error:
        return None
    if answer.error == SubscriptionError.__name__:
        return SubscriptionError(answer.reason, answer.code)
    return _CLASSES.get(answer.error, BusError)(answer.reason)
