"""Conversion of records and errors of `confluent-kafka`."""

from asyncio import Future
from typing import Any, Final, NamedTuple

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, KafkaError, Message

from eventservices.errors import (
    EventServiceError,
    MalformedError,
    NotConnectedError,
    RefusedError,
)

_TOO_LARGE: Final = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD)
_REFUSED: Final = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_EXCEPTION,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
)


class Record(NamedTuple):
    """A record from the native client.

    Attributes:
        topic: The topic at the broker.
        partition: Of the topic.
        offset: In the partition.
        time_us: When it was made, microseconds since 1970 UTC.
        key: Empty where it has none.
        value: Its bytes.
        headers: Names and values; a name may be repeated.
    """

    topic: str
    partition: int
    offset: int
    time_us: int
    key: bytes | None
    value: bytes
    headers: tuple[tuple[str, bytes], ...]

    @property
    def size(self) -> int:
        """Bytes of key, value and headers."""
        headers = sum(len(name) + len(value or b"") for name, value in self.headers)
        return len(self.key or b"") + len(self.value) + headers


def record_of(message: Message) -> Record:
    """Return the record of a message of the native client."""
    kind, time_ms = message.timestamp()
    headers: Any = message.headers() or ()
    return Record(
        str(message.topic()),
        message.partition() or 0,
        message.offset() or 0,
        0 if kind == TIMESTAMP_NOT_AVAILABLE else time_ms * 1000,
        message.key(),
        message.value() or b"",
        tuple(headers),
    )


def settle(done: Future[None], error: KafkaError | None) -> None:
    """End the wait for a record that was produced."""
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(as_native(error))


def as_native(error: KafkaError) -> EventServiceError:
    """Return an error of the native client as ours; its class shows whether a retry helps."""
    if error.code() in _TOO_LARGE:
        return MalformedError(text_of(error))
    return (RefusedError if error.code() in _REFUSED else NotConnectedError)(text_of(error))


def text_of(error: KafkaError) -> str:
    """Return the text of an error."""
    return f"{error.name()}: {error.str()}"
