"""Takes a channel's events off NATS and hands each to the consumers connected here."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from eventservices.cns.calls import call_client
from eventservices.cns.codec import decode
from eventservices.cns.event import AnyEvent, StructuredEvent
from eventservices.errors import MalformedError
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import read_stamp
from eventservices.stamp import Stamp

log = logging.getLogger(__name__)

OnMalformed = Callable[[str, bytes], None]
"""Takes the reason why a message was set aside, and its bytes; a plain function."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A message that was no event.

    Attributes:
        payload: Its bytes.
        headers: Its header block.
        reason: What was wrong.
    """

    payload: bytes
    headers: bytes
    reason: str


class Receiver(Protocol):
    """What the dispatcher calls for every event."""

    def receive(self, event: AnyEvent | StructuredEvent, stamp: Stamp | None) -> None:
        """Take an event; must not raise."""


class Dispatcher:
    """Listens to a channel's events while anybody here consumes them.

    Args:
        link: The connection.
        subject: NATS subject of the channel's events.
        keep: Malformed messages kept; the oldest go first.

    Attributes:
        received: Messages that came.
        malformed: Messages that were no event.
        on_malformed: Told of each.
        set_aside: The last of them.
    """

    def __init__(self, link: NatsLink, subject: str, keep: int) -> None:
        self.received = 0
        self.malformed = 0
        self.on_malformed: OnMalformed | None = None
        self.set_aside: deque[SetAside] = deque(maxlen=keep)
        self._link = link
        self._subject = subject
        self._receivers: tuple[Receiver, ...] = ()
        self._listening: Listening | None = None
        self._changing = asyncio.Lock()

    async def attach(self, receiver: Receiver) -> None:
        """Hand events to `receiver` from now on.

        Raises:
            NotConnectedError: The server did not confirm the subscription; nothing was changed.
        """
        self._receivers += (receiver,)
        try:
            async with self._changing:
                if self._listening is None and self._receivers:
                    self._listening = await self._link.listen(self._subject, self._on_message)
            await self._link.flush()
        except BaseException:
            await self.detach(receiver)
            raise

    async def detach(self, receiver: Receiver) -> None:
        """Hand no more events to `receiver`; harmless where it gets none."""
        self._receivers = tuple(held for held in self._receivers if held is not receiver)
        async with self._changing:
            if not self._receivers and self._listening is not None:
                listening, self._listening = self._listening, None
                await self._link.mute(listening)

    def _on_message(self, _subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        self.received += 1
        try:
            event = decode(payload)
            stamp = read_stamp(headers)
        except MalformedError as error:
            self.malformed += 1
            self.set_aside.append(SetAside(payload, headers, str(error)))
            call_client(self.on_malformed, str(error), payload)
            log.warning("event_malformed", extra={"subject": self._subject, "reason": str(error)})
            return
        for receiver in self._receivers:
            receiver.receive(event, stamp)
