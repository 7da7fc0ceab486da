"""Persistent events are accepted in the order in which a link sent them, without a gap."""

from collections import OrderedDict
from typing import Final

from fes.link.messages import Heard

PRIORITIES: Final = 256
"""Most priorities of one link that are remembered; one whose predecessor is forgotten is refused,
and its event service delivers it again."""


class Succession:
    """Remembers which event with a token was accepted last, for each link and priority.

    An adapter sends events without waiting for answers. So an event may be accepted only if the one
    that was sent just before it was accepted: `Heard.after` names that one. All that follow a
    refused event are refused too, whichever replica refused it; the adapter then sends them again
    in their order.

    It is kept in memory only. What is forgotten costs one more delivery and never the order.
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
            taken: Whether it was accepted. One that was not has no successor, even where some of
                its destinations accepted it.
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
        """Forget one link: over a new link the first token has no predecessor."""
        self._last.pop(service, None)

    def clear(self) -> None:
        """Forget all links: what was accepted may not have been committed."""
        self._last.clear()
