"""Frames: batches of messages as MessagePack, with their numbers and acknowledgements.

A frame is `[number, acknowledged, messages]`. Numbers count from 1 in each direction;
`acknowledged` is the highest number received so far. A frame without messages only acknowledges
and has number 0.
"""

from collections import deque

import msgspec

from fes.errors import LinkError
from fes.link.end import Hello, Message
from fes.link.messages import (
    Announce,
    Confirmed,
    Counted,
    Desired,
    Done,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Refuse,
    Subscribe,
    Taken,
    Unannounce,
    Unsubscribe,
    View,
)

WINDOW = 64
ACK_EVERY = 32

_Any = (
    Heard
    | HeardControl
    | Done
    | Counted
    | Confirmed
    | Subscribe
    | Unsubscribe
    | Announce
    | Unannounce
    | Publish
    | PublishControl
    | Desired
    | Refuse
    | Taken
    | View
    | Hello
)


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """One frame."""

    number: int
    acknowledged: int
    messages: tuple[_Any, ...] = ()


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Frame)


def encode_frame(frame: Frame) -> bytes:
    """Return a frame as MessagePack."""
    return _encoder.encode(frame)


def decode_frame(data: bytes | str) -> Frame:
    """Return the frame that bytes encode.

    Raises:
        LinkError: The bytes are not a frame.
    """
    if isinstance(data, str):
        raise LinkError("a frame is binary, found text")
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LinkError(f"not a frame: {error}") from error


class Window:
    """Numbers frames and tracks which the other end has acknowledged."""

    def __init__(self) -> None:
        self.sent = 0
        self.acknowledged = 0
        self.received = 0
        self._told = 0
        self._in_flight: deque[tuple[int, int]] = deque()

    @property
    def is_open(self) -> bool:
        """Whether another frame may be sent."""
        return self.sent - self.acknowledged < WINDOW

    @property
    def unacknowledged_messages(self) -> int:
        """Messages in frames that were not acknowledged."""
        return sum(count for _, count in self._in_flight)

    @property
    def must_acknowledge(self) -> bool:
        """Whether so many frames came that an acknowledgement is due at once."""
        return self.received - self._told >= ACK_EVERY

    @property
    def may_acknowledge(self) -> bool:
        """Whether anything is left to acknowledge."""
        return self.received > self._told

    def frame(self, messages: tuple[Message, ...]) -> Frame:
        """Return the next frame to send; one without messages only acknowledges."""
        self._told = self.received
        if not messages:
            return Frame(0, self.received)
        self.sent += 1
        self._in_flight.append((self.sent, len(messages)))
        return Frame(self.sent, self.received, messages)

    def take(self, frame: Frame) -> None:
        """Note a received frame.

        Raises:
            LinkError: Its number or acknowledgement is out of order.
        """
        if frame.messages or frame.number:
            if frame.number != self.received + 1:
                raise LinkError(f"frame {frame.number} came after frame {self.received}")
            self.received = frame.number
        if not self.acknowledged <= frame.acknowledged <= self.sent:
            raise LinkError(f"frame {frame.acknowledged} was acknowledged, {self.sent} were sent")
        self.acknowledged = frame.acknowledged
        while self._in_flight and self._in_flight[0][0] <= self.acknowledged:
            self._in_flight.popleft()
