"""Performs what a gateway core ordered: over links, into the log, to the replica that leads."""

from collections.abc import Callable

from fes.gateway.outputs import Decided, ForLeader, Output, ToAdapter
from fes.gateway.replication import Forwarded
from fes.link.messages import Taken

from fes_gateway.adapters import Adapters
from fes_gateway.recording import Counters, Recorder

REASON = 500
"""Most characters of a reason that another process caused."""


def nowhere(_: Forwarded) -> bool:
    """Return False: there is no other replica."""
    return False


class Performing:
    """Performs outputs.

    Args:
        linked: The adapters.
        recorder: Counts and logs decisions.
        counters: Counts what was dropped.
        forward: Forwards a request to the replica that leads; returns whether there was room.
    """

    def __init__(
        self,
        linked: Adapters,
        recorder: Recorder,
        counters: Counters,
        forward: Callable[[Forwarded], bool] = nowhere,
    ) -> None:
        self.forward = forward
        self._linked = linked
        self._recorder = recorder
        self._counters = counters

    def perform(self, outputs: list[Output]) -> None:
        """Perform outputs, in order."""
        for output in outputs:
            match output:
                case Decided():
                    self._recorder.write(output)
                case ForLeader(forwarded):
                    self._forward(forwarded)
                case ToAdapter(service, order):
                    reason = self._linked.send(service, order)
                    if reason:
                        self._counters.add("dropped", reason)

    def abandon(self, outputs: list[Output]) -> None:
        """Make event services deliver again what was accepted from them and is void."""
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Taken):
                self.give_back(output.service, output.order.token)

    def give_back(self, service: str, token: int) -> None:
        """Make an event service deliver an event again."""
        self.perform([ToAdapter(service, Taken(token, taken=False))])

    def refuse(self, reason: str, *, service: str = "", what: str = "") -> None:
        """Count and log a refusal."""
        told = Decided("refused", from_=service, reason=reason[:REASON], what=what[:REASON])
        self._recorder.write(told)

    def _forward(self, forwarded: Forwarded) -> None:
        if not self.forward(forwarded):
            reason = "too many forwarded requests wait for the replica that leads"
            self.refuse(reason, service=forwarded.service)
