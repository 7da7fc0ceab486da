"""A gateway that answers for what it gets, for tests of adapters that are persistent."""

from typing import Any

from eventservices.stamp import Stamp
from fes.mapping import Native
from support.sinks import NotingSink


class AnsweringSink(NotingSink):
    """Takes events, up to a limit.

    Attributes:
        natives: What it took.
        stamps: Their stamps.
        limit: Most events that it takes; the others are to come again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.natives: list[Native] = []
        self.stamps: list[Stamp] = []
        self.limit = 1_000_000

    def heard(self, native: Native, stamp: Stamp | None, answer: Any = None) -> None:
        taken = len(self.natives) < self.limit
        if taken:
            assert stamp is not None
            self.natives.append(native)
            self.stamps.append(stamp)
        if answer is not None:
            answer(taken)

    @property
    def numbers(self) -> list[Any]:
        """The first parameter of each event."""
        return [native.parameters[0].value for native in self.natives]
