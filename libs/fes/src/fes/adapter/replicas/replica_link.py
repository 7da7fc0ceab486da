"""The adapter's end of the link to one replica of its gateway."""

from typing import Protocol

from msgspec import structs

from fes.adapter.replicas.desired import ALONE
from fes.adapter.replicas.pending import Pending
from fes.link.end import LinkEnd, Message
from fes.link.messages import Heard, View


class Lines(Protocol):
    """Is notified of what happens to the links."""

    def up(self, line: "Line", *, at_once: bool) -> None:
        """Accept a link that can be used."""

    def down(self, line: "Line") -> None:
        """Accept a link that broke."""

    def receive(self, line: "Line", message: Message) -> None:
        """Accept a message of the replica."""

    def displaced(self, line: "Line", message: Message) -> None:
        """Accept a sent message that was dropped for a more urgent one."""


class Line:
    """A link to one replica, made again whenever it breaks; the replica states its name.

    Args:
        lines: Is notified of what happens.

    Attributes:
        end: The link; None where there is none.
        replica: Name of the replica; `ALONE` where it has sent none.
        view: The last view that the replica sent.
        whole: Whether its whole desired state is here, so that received events can be sent to it.
        pending: Events that the replica is to acknowledge.
    """

    def __init__(self, lines: Lines) -> None:
        self.end: LinkEnd | None = None
        self.replica = ALONE
        self.view: View | None = None
        self.whole = False
        self.pending = Pending()
        self._lines = lines

    def up(self, end: LinkEnd, *, at_once: bool = False) -> None:
        """Use a link.

        Args:
            end: The adapter's end of it.
            at_once: Whether to use it before anything comes over it, as if a gateway without
                replicas were there.
        """
        self.down()
        self.end = end
        self._lines.up(self, at_once=at_once)

    def down(self) -> None:
        """Stop using the link, which broke; idempotent."""
        if self.end is not None:
            self._lines.down(self)
            self.end = self.view = None
            self.replica, self.whole = ALONE, False

    def receive(self, message: Message) -> None:
        """Accept a message of the replica."""
        if self.end is not None:
            self._lines.receive(self, message)

    def displaced(self, message: Message) -> None:
        """Accept a message to the replica that was dropped for a more urgent one."""
        self._lines.displaced(self, message)

    def send(self, message: Message) -> bool:
        """Send to the replica; return False where the message was dropped."""
        if self.end is None:
            return False
        if isinstance(message, Heard) and message.token:
            return self._send_kept(self.end, message)
        return self.end.send(message)

    def _send_kept(self, end: LinkEnd, heard: Heard) -> bool:
        """Send an event that its service keeps, with the token of the one sent before it."""
        if not end.send(structs.replace(heard, after=self.pending.after(heard.priority))):
            return False
        self.pending.sent(heard)
        return True
