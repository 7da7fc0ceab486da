"""Frames of STOMP as messages of JMS."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from eventservices.errors import MalformedError
from eventservices.jms.names import FRAME

TRANSFORMATION: Final = "transformation"
"""Header of a frame that names the form of a body which is neither text nor bytes."""

MAP_XML: Final = "jms-map-xml"
"""The form in which the broker writes and reads map messages."""

_CONTENT_TYPE: Final = "content-type"

Kind = Literal["topic", "queue"]


class JmsMessage(NamedTuple):
    """A message that came.

    Attributes:
        kind: Of its destination.
        name: Of its destination.
        frame: Headers of its frame.
        body: Its bytes.
    """

    kind: Kind
    name: str
    frame: dict[str, str]
    body: bytes

    @property
    def size(self) -> int:
        """Bytes of headers and body."""
        return len(self.body) + sum(len(name) + len(text) for name, text in self.frame.items())

    @property
    def id(self) -> str:
        """Identifier that the broker assigned; "" where it assigned none."""
        return self.frame.get("message-id", "")

    @property
    def ack(self) -> str:
        """What acknowledges it."""
        return self.frame.get("ack", "")

    @property
    def subscription(self) -> str:
        """Number of the subscription that brought it."""
        return self.frame.get("subscription", "")

    @property
    def content_type(self) -> str:
        """What its body is; "" where that is not known."""
        return self.frame.get(_CONTENT_TYPE, "")

    @property
    def properties(self) -> dict[str, str]:
        """Its properties, by name."""
        return {
            name: text
            for name, text in self.frame.items()
            if name not in FRAME and name != _CONTENT_TYPE
        }


def read_message(frame: Mapping[str, str], body: bytes) -> JmsMessage:
    """Return a message.

    Raises:
        MalformedError: Its destination is none of a topic or a queue.
    """
    _, kind, name = (*frame.get("destination", "").split("/", 2), "", "", "")[:3]
    if kind == "topic":
        return JmsMessage("topic", name, dict(frame), body)
    if kind == "queue":
        return JmsMessage("queue", name, dict(frame), body)
    raise MalformedError(
        f"destination {frame.get('destination', '')[:80]!r} is neither a topic nor a queue"
    )
