"""What an adapter provides to its multiplexer."""

from typing import Protocol

from fes.adapter.inbound.acknowledgements import Acknowledgements
from fes.link.end import Message
from fes.link.messages import Order


class Inside(Protocol):
    """Accepts what replicas send, translated to the adapter's own numbers."""

    @property
    def acknowledgements(self) -> Acknowledgements:
        """Pending answers for events that their service keeps."""

    def take(self, order: Order) -> None:
        """Accept an order; see `Orders`."""

    def dropped(self, message: Message, reason: str) -> None:
        """Log a message that was dropped, with the reason."""

    def linked(self) -> None:
        """Note that the replica that leads, or the only one, is linked again."""
