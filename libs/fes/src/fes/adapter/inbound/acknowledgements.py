"""Pending acknowledgements of events that an event service keeps until its adapter answers."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

Answer = Callable[[bool], None]
"""Answers an event service for an event: with True it may delete the event, since the gateway has
committed what it does with it; with False it shall deliver the event again. Called once, never
blocks."""

OWED = 10_000
"""Most events that wait for the gateway's answer; further ones are to be delivered again."""


@dataclass(slots=True)
class _Owed:
    answer: Answer
    parts: int = 0


class Acknowledgements:
    """Keeps each pending answer until the gateway has answered for every part of the event.

    Attributes:
        settled: Whether the adapter knows all desired subscriptions. Until then an event that
            matches none is to be delivered again, since it may match one that is still to come.
    """

    def __init__(self) -> None:
        self.settled = False
        self._token = 0
        self._owed: OrderedDict[int, _Owed] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of events that wait for the gateway's answer."""
        return len(self._owed)

    def begin(self, answer: Answer) -> int:
        """Keep the answer for an event.

        Return its token, or 0 where too many are pending already.
        """
        if len(self._owed) >= OWED:
            answer(False)
            return 0
        self._token += 1
        self._owed[self._token] = _Owed(answer)
        return self._token

    def sent(self, token: int) -> None:
        """Note that a part of the event went to the gateway."""
        owed = self._owed.get(token)
        if owed is not None:
            owed.parts += 1

    def finish(self, token: int) -> None:
        """Note that there are no more parts.

        Where none was sent, no subscription matches the event.
        """
        owed = self._owed.get(token)
        if owed is not None and owed.parts == 0:
            del self._owed[token]
            owed.answer(self.settled)

    def answered(self, token: int, *, taken: bool) -> None:
        """Accept the gateway's answer for one part."""
        owed = self._owed.get(token)
        if owed is None:
            return
        owed.parts -= 1
        if not taken or owed.parts == 0:
            del self._owed[token]
            owed.answer(taken)
