"""Orders: what adapters are to apply or withdraw for requests, and what they answered."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from fes.control import ControlEvent
from fes.gateway.requests.desired import DesiredState
from fes.gateway.requests.held import Held
from fes.gateway.requests.outcomes import Outcomes, Step, of_request
from fes.gateway.turn import Turn
from fes.link.messages import Done, Unannounce, Unsubscribe

WITHDRAWALS = 1000
"""Most native withdrawals whose request is remembered until the adapter answers."""

Withdrawal = tuple[str, int]
"""The event service where something is withdrawn, and its number."""


class Orders:
    """Orders what follows from the request table, and notes the answers of adapters.

    Args:
        desired: By attached event service.
        outcomes: Remembers what was done with each request.
    """

    def __init__(self, desired: Mapping[str, DesiredState], outcomes: Outcomes) -> None:
        self._desired = desired
        self._outcomes = outcomes
        self._withdrawing: OrderedDict[int, str] = OrderedDict()

    def follow(self, changes: Iterable[Held], turn: Turn) -> list[Withdrawal]:
        """Order what changes of the table need; return what is withdrawn."""
        withdrawn = []
        changed: dict[str, list[Held]] = {}
        for held in changes:
            changed.setdefault(held.service, []).append(held)
        for name, those in changed.items():
            for order in self._desired[name].update(those):
                turn.order(name, order)
                if isinstance(order, Unsubscribe | Unannounce):
                    withdrawn.append((name, order.number))
        return withdrawn

    def withdrawn(
        self, control: ControlEvent, withdrawals: Iterable[Withdrawal], turn: Turn
    ) -> None:
        """Note which request had something withdrawn."""
        for service, number in withdrawals:
            step = Step("ordered", service, "withdrawal", turn.now.wall_us)
            self._outcomes.add(control.id, step)
            turn.decide(of_request("applied", control, control.source, to=service))
            self._withdrawing[number] = control.id
            if len(self._withdrawing) > WITHDRAWALS:
                self._withdrawing.popitem(last=False)

    def done(self, done: Done, service: str, turn: Turn) -> None:
        """Note what an adapter applied or withdrew, or failed to."""
        decision, now_us = "failed" if done.error else "applied", turn.now.wall_us
        if done.withdrawn:
            request = self._withdrawing.pop(done.number, None)
            if request is not None:
                self._outcomes.add(request, Step(decision, service, done.error, now_us))
            return
        applied = self._desired[service].get(done.number)
        if applied is None:
            return
        applied.state = done.error or "applied"
        applied.widened = done.widened
        detail = done.error or "; ".join(done.widened)
        for request in applied.requests:
            self._outcomes.add(request, Step(decision, service, detail, now_us))
