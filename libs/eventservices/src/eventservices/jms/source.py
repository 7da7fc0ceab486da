"""What a consumer of messages subscribes to."""

from typing import Final, NamedTuple

from eventservices.jms.message import Kind

TRANSFORMATION: Final = "transformation"
"""Header of a frame that names the form of a body which is neither text nor bytes."""

MAP_XML: Final = "jms-map-xml"
"""The form in which the broker writes and reads map messages."""


class Source(NamedTuple):
    """What is subscribed to.

    Attributes:
        kind: Of the destinations.
        pattern: One destination, or a pattern of them.
        selector: What of its messages; "" for all.
    """

    kind: Kind
    pattern: str
    selector: str

    @property
    def destination(self) -> str:
        """As STOMP writes it."""
        return f"/{self.kind}/{self.pattern}"
