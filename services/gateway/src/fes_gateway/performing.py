"""Performs what a gateway core ordered: over links, into the log, into the journal as letters."""

from collections.abc import Callable

from fes.gateway.outputs import Decided, ForLeader, Output, ToAdapter
from fes.gateway.replicas import Letter
from fes.link.messages import Taken

from fes_gateway.adapters import Adapters
from fes_gateway.counters import Counters
from fes_gateway.recording import Recorder

REASON = 500
"""Most characters of a reason that another process gave cause for."""


def nowhere(_: Letter) -> bool:
    """Take no letter: there is no other replica."""
    return False


class Performing:
    """Performs outputs.

    Args:
        linked: The adapters.
        recorder: Takes decisions.
        counters: Count what was dropped.
        leave: Leaves a letter for the replica that leads; tells whether there was room.
    """

    def __init__(
        self,
        linked: Adapters,
        recorder: Recorder,
        counters: Counters,
        leave: Callable[[Letter], bool] = nowhere,
    ) -> None:
        self.leave = leave
        self._linked = linked
        self._recorder = recorder
        self._counters = counters

    def perform(self, outputs: list[Output]) -> None:
        """Perform outputs, in order."""
        for output in outputs:
            match output:
                case Decided():
                    self._recorder.write(output)
                case ForLeader(letter):
                    self._leave(letter)
                case ToAdapter(service, order):
                    reason = self._linked.send(service, order)
                    if reason:
                        self._counters.add("dropped", reason)

    def abandon(self, outputs: list[Output]) -> None:
        """Have event services deliver again what was taken from them and is void."""
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Taken):
                self.give_back(output.service, output.order.token)

    def give_back(self, service: str, token: int) -> None:
        """Have an event service deliver an event again."""
        self.perform([ToAdapter(service, Taken(token, taken=False))])

    def refuse(self, reason: str, *, service: str = "", what: str = "") -> None:
        """Count and log what is not taken."""
        told = Decided("refused", from_=service, reason=reason[:REASON], what=what[:REASON])
        self._recorder.write(told)

    def _leave(self, letter: Letter) -> None:
        if not self.leave(letter):
            reason = "too many letters wait for the replica that leads"
            self.refuse(reason, service=letter.service)
