"""The policy service, as a bus queries it: over NATS."""

from typing import Final

import msgspec

from eventservices.bus.binding.asking import Asking
from eventservices.bus.core import Decide, Decision
from eventservices.bus.wire.policy import Question, subject
from eventservices.natslink import NatsLink

TIMEOUT_S: Final = 2.0


class PolicyClient:
    """Queries the service for decisions.

    Args:
        link: Open.
        building: Whose policy it is.
    """

    def __init__(self, link: NatsLink, building: str) -> None:
        self._asking = Asking(link)
        self._subject = subject(building)

    async def decide(self, request: Decide) -> Decision | None:
        """Return a decision; None where there is no answer."""
        question = Question(request.user, request.name, request.device, request.bus)
        answer = await self._asking.ask(self._subject, msgspec.msgpack.encode(question), TIMEOUT_S)
        if answer is None:
            return None
        try:
            return msgspec.msgpack.decode(answer, type=Decision)
        except (msgspec.DecodeError, RecursionError):
            return None
