"""Questions to the policy service, as MessagePack; the answer is a `Decision`."""

from typing import Final

import msgspec

from eventservices.bus.wire.messages import MessageError


class Question(msgspec.Struct, frozen=True, array_like=True):
    """Requests a decision: whether a user's sink may subscribe.

    Attributes:
        user: As the sink's bus vouches for.
        name: Of the event.
        device: Type of the sink's device.
        bus: Of the sink.
    """

    user: str
    name: str
    device: str
    bus: str


_DECODER: Final = msgspec.msgpack.Decoder(Question)


def decode_question(data: bytes) -> Question:
    """Return a question.

    Raises:
        MessageError: It is none.
    """
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError as error:
        raise MessageError(f"not a question to the policy service: {error}") from error


class PolicyChange(msgspec.Struct, frozen=True, array_like=True):
    """Reports that decisions may be others than they were.

    Attributes:
        generation: Grows with each change; a gap means that one was missed.
        user: Whom it concerns; "" for all. Without a change it is repeated as a sign of life.
    """

    generation: int
    user: str


class Changes:
    """Reads reports of changes, some of which may be missed."""

    def __init__(self) -> None:
        self._generation = 0

    def read(self, payload: bytes) -> str | None:
        """Return the user that a change is about, "" for all; None for a sign of life.

        Raises:
            MessageError: It is not a report of a change.
        """
        try:
            change = _CHANGES.decode(payload)
        except msgspec.DecodeError as error:
            raise MessageError(f"not a change of the policy service: {error}") from error
        before, self._generation = self._generation, change.generation
        if change.generation == before:
            return None
        # One change more is about the user that it names; a gap may be about anybody.
        return change.user if change.generation == before + 1 else ""


_CHANGES: Final = msgspec.msgpack.Decoder(PolicyChange)


def subject(building: str) -> str:
    """Return the NATS subject of questions."""
    return f"evbus.{building}.policy.decide"
