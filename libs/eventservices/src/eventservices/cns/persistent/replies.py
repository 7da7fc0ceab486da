"""What JetStream answers: acknowledgements of publications, and the status of pull requests.

Source:
    NATS ADR-8, ADR-13 and ADR-15; error codes as in nats-server's `errors.json`.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from eventservices.cns.errors import ImplLimitError
from eventservices.errors import EventServiceError, MalformedError, RefusedError

NO_RESPONDERS: Final = 503
HEARTBEAT: Final = 100

_STATUS = b"NATS/1.0 "
_FULL: Final = frozenset({10023, 10047, 10077, 10122})
"""Insufficient resources, insufficient storage, a limit of the stream (two spellings)."""


class _Failure(msgspec.Struct, frozen=True):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _PubAck(msgspec.Struct, frozen=True):
    seq: int = 0
    error: _Failure | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where in its stream a delivered message is.

    Attributes:
        sequence: Its number in the stream.
        stored_us: When the broker stored it, microseconds since 1970 UTC.
    """

    sequence: int
    stored_us: int


def status_of(headers: bytes) -> int:
    """Return the status code in a header block; 0 where it has none."""
    if not headers.startswith(_STATUS):
        return 0
    code = headers[len(_STATUS) : len(_STATUS) + 3]
    return int(code) if code.isdigit() else 0


def refusal(payload: bytes) -> EventServiceError | None:
    """Return why a publication was refused; None where it was stored.

    Args:
        payload: Of the acknowledgement.
    """
    try:
        found = _decoder.decode(payload)
    except msgspec.MsgspecError as error:
        return RefusedError(f"the broker's answer is not an acknowledgement: {error}")
    if found.error is None:
        return None
    if found.error.err_code in _FULL:
        return ImplLimitError(f"the channel's store is full: {found.error.description}")
    return RefusedError(f"the broker does not store the event: {found.error.description}")


def delivery_of(reply: str) -> Delivery:
    """Return what a delivered message's reply subject contains.

    Raises:
        MalformedError: It is not one of JetStream's.
    """
    tokens = reply.split(".")
    if tokens[:2] != ["$JS", "ACK"] or len(tokens) < 9:
        raise MalformedError(f"no delivery of JetStream: {reply[:200]!r}")
    at = 5 if len(tokens) == 9 else 7  # the longer form names domain and account first
    try:
        return Delivery(int(tokens[at]), int(tokens[at + 2]) // 1000)
    except (ValueError, IndexError) as error:
        raise MalformedError(f"no delivery of JetStream: {reply[:200]!r}") from error


_decoder = msgspec.json.Decoder(_PubAck)
