"""Events that were sent to one replica and wait for its acknowledgement, in their order."""

from dataclasses import dataclass, field

from fes.link.messages import Heard, Taken


@dataclass(slots=True)
class _Sent:
    parts: int = 0
    priorities: dict[int, None] = field(default_factory=dict)


class Pending:
    """Keeps the tokens that the replica of one link is to answer.

    `Acknowledgements` bounds how many events wait for an answer, over all links together.
    """

    def __init__(self) -> None:
        self._sent: dict[int, _Sent] = {}
        self._order: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        """Return how many events wait for an answer."""
        return len(self._sent)

    def after(self, priority: int) -> int:
        """Return the token that was sent last with a priority and is not answered; 0 for none."""
        return next(reversed(self._order.get(priority, {})), 0)

    def sent(self, heard: Heard) -> None:
        """Note that an event, or a part of one, was sent."""
        sent = self._sent.setdefault(heard.token, _Sent())
        sent.parts += 1
        sent.priorities[heard.priority] = None
        self._order.setdefault(heard.priority, {})[heard.token] = None

    def answered(self, answer: Taken) -> list[Taken]:
        """Return the answers that follow from an answer for one part, for this and other events.

        A replica that refused an event refuses all of its priority that were sent after it. These
        need not wait for answers of their own, so that all are sent again together, in their order.

        Args:
            answer: The replica's. It is ignored where the event does not wait for one.
        """
        sent = self._sent.get(answer.token)
        if sent is None:
            return []
        if answer.taken:
            sent.parts -= 1
            if not sent.parts:
                self._forget(answer.token)
            return [answer]
        refused = [answer.token, *self._behind(answer.token, sent)]
        for token in refused:
            self._forget(token)
        return [Taken(token, taken=False) for token in refused]

    def give_up(self) -> list[int]:
        """Return all tokens in the order in which they were sent, and forget them."""
        tokens = list(self._sent)
        self._sent.clear()
        self._order.clear()
        return tokens

    def _behind(self, token: int, sent: _Sent) -> list[int]:
        orders = [self._order[priority] for priority in sent.priorities]
        return sorted({each for order in orders for each in order if each > token})

    def _forget(self, token: int) -> None:
        for priority in self._sent.pop(token).priorities:
            order = self._order[priority]
            del order[token]
            if not order:
                del self._order[priority]
