"""What a gateway did with each request, for queries over its API."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fes.control import ControlEvent
from fes.gateway.outputs import Decided, Output


class Step(NamedTuple):
    """One thing that was done with a request.

    Attributes:
        decision: E.g. `accepted`, `refused`, `forwarded`, `applied`, `failed`.
        service: Event service that it concerns; "" where it concerns none.
        detail: Why, or what was widened.
        wall_us: When, microseconds since 1970 UTC.
    """

    decision: str
    service: str
    detail: str
    wall_us: int


class Outcomes:
    """Remembers the steps of the newest requests.

    Args:
        limit: Most requests remembered; the oldest is forgotten.
        steps: Most steps of one request; further ones are not remembered.
    """

    def __init__(self, limit: int = 10_000, steps: int = 200) -> None:
        self._limit = limit
        self._steps = steps
        self._known: OrderedDict[str, list[Step]] = OrderedDict()

    def __iter__(self) -> Iterator[tuple[str, Step]]:
        """Yield each step with its request, the oldest request first."""
        for request, steps in self._known.items():
            for step in steps:
                yield request, step

    def add(self, request: str, step: Step) -> None:
        """Remember a step of a request."""
        steps = self._known.setdefault(request, [])
        if len(steps) < self._steps:
            steps.append(step)
        if len(self._known) > self._limit:
            self._known.popitem(last=False)

    def note(self, outputs: Iterable[Output], wall_us: int) -> None:
        """Remember what was decided about publications that came as requests.

        A publication's event has the identity of its request; nobody queries one that was received
        natively.

        Args:
            outputs: Of one turn.
            wall_us: When, microseconds since 1970 UTC.
        """
        for output in outputs:
            if isinstance(output, Decided) and output.id in self._known:
                self.add(output.id, Step(output.decision, output.to, output.reason, wall_us))

    def get(self, request: str) -> tuple[Step, ...] | None:
        """Return the steps of a request, oldest first; None where it is not known."""
        steps = self._known.get(request)
        return None if steps is None else tuple(steps)


def of_request(
    decision: str, control: ControlEvent, arrived: str, *, to: str = "", reason: str = ""
) -> Decided:
    """Return a decision about a request."""
    return Decided(
        decision,
        request=control.id,
        from_=arrived,
        to=to,
        path=control.path,
        type=control.type.word,
        reason=reason,
        what=control.filter,
    )
