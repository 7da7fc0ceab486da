"""Kept events are accepted in the order in which they were sent over a link, without a gap."""

from collections import OrderedDict
from typing import Final

from fes.link.messages import Heard

PRIORITIES: Final = 256
"""Most priorities of one link that are remembered; one whose predecessor is forgotten is refused,
and its event service delivers it again."""


class Succession:
    """Knows of each link and priority which event with a token was accepted last.

    An adapter sends a stream and does not wait for answers. So an event may be accepted only if the
    one that was sent just before it was: `Heard.after` names it. All that follows a refused one is
    refused for that, whoever refused it and whether or not this replica remembers; the adapter then
    sends them again in their order.

    It is kept in memory only. What is forgotten costs a delivery more and never the order.
    """

    def __init__(self) -> None:
        self._last: dict[str, OrderedDict[int, int]] = {}

    def admits(self, heard: Heard, service: str) -> bool:
        """Return whether the event that was sent just before this one was accepted."""
        if not heard.after:
            return True
        last = self._last.get(service)
        return last is not None and last.get(heard.priority) == heard.after

    def note(self, heard: Heard, service: str, *, taken: bool) -> None:
        """Note whether an event was accepted.

        Args:
            heard: The event.
            service: Event service identifier.
            taken: Whether it was. One that was not has no successor, even where another part of
                it was accepted.
        """
        last = self._last.setdefault(service, OrderedDict())
        if taken:
            last[heard.priority] = heard.token
            last.move_to_end(heard.priority)
            if len(last) > PRIORITIES:
                last.popitem(last=False)
        elif last.get(heard.priority) == heard.token:
            del last[heard.priority]

    def forget(self, service: str) -> None:
        """Forget one link: over a new one tokens have no predecessor."""
        self._last.pop(service, None)

    def clear(self) -> None:
        """Forget all links: what was accepted may be void."""
        self._last.clear()
