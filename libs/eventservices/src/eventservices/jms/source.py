"""What a consumer of messages subscribes to."""

from typing import NamedTuple

from eventservices.jms.message import Kind


class Source(NamedTuple):
    """What is subscribed to.

    Attributes:
        kind: Of the destinations.
        pattern: One destination, or a pattern of them.
        selector: Which of their messages; "" for all.
    """

    kind: Kind
    pattern: str
    selector: str

    @property
    def destination(self) -> str:
        """As STOMP writes it."""
        return f"/{self.kind}/{self.pattern}"
