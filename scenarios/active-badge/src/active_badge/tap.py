"""A tap on the wire: which buses an event was sent to, counted beside the buses themselves."""

from typing import Final

from eventservices.bus.wire.messages import EBNotify, MessageError, decode
from eventservices.bus.wire.subjects import Subjects
from eventservices.lifetime import Opening
from eventservices.natslink import LinkOptions, NatsLink

SETTLE_PROBES: Final = 3


class Tap(Opening):
    """Counts messages between buses, each once however often it was sent.

    Args:
        url: Of the NATS server.
        building: Whose buses.
        name: Of the event.
    """

    def __init__(self, url: str, building: str, name: str) -> None:
        self._link = NatsLink([url], LinkOptions(name="tap"))
        self._subjects = Subjects(building)
        self._name = name
        self._seen: dict[tuple[str, int], set[str]] = {}

    @property
    def counted(self) -> dict[tuple[str, int], int]:
        """How many buses each event was sent to, by originating bus and number."""
        return {key: len(buses) for key, buses in self._seen.items()}

    async def open(self) -> "Tap":
        """Listen."""
        await self._link.open()
        await self._link.listen(self._subjects.to("*", "*"), self._take)
        await self._link.flush()
        return self

    async def settle(self) -> None:
        """Return when all that was sent before has been counted."""
        for _ in range(SETTLE_PROBES):
            await self._link.flush()

    async def close(self) -> None:
        """End."""
        await self._link.close()

    def _take(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del headers, reply
        try:
            message = decode(payload)
        except MessageError:
            return
        if isinstance(message, EBNotify) and message.event.name == self._name:
            target, sender = subject.split(".")[-2:]
            self._seen.setdefault((sender, message.event.stamp.sequence), set()).add(target)
