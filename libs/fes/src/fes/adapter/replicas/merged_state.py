"""The merged desired state of a gateway's replicas, under one numbering.

Each replica assigns its own numbers. Inside the adapter the same filter, or the announcement of the
same subject, has one number, which is kept as long as any replica that counts desires it.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec import structs

from fes.adapter.replicas.desired import ALONE, Key, Said, Side, Unsaid, Wish, key_of
from fes.link.messages import Announce, Desired, Done, Order, Subscribe

LEAVING = 10_000
"""Most withdrawals whose end is still to be reported."""

Answer = tuple[str, Done]
"""A replica, and what is reported to it, under a number of its own."""


class Change(NamedTuple):
    """What follows from something that a replica sent.

    Attributes:
        orders: For the adapter, under its numbers; what is new comes before what is withdrawn.
        answers: For replicas, about what was done or withdrawn already.
    """

    orders: list[Order]
    answers: list[Answer]


class Wants:
    """Keeps the desired state of each replica, and merges them into one.

    The state of a gateway without replicas (`ALONE`) keeps its numbers, so that nothing has to be
    translated for it.
    """

    def __init__(self) -> None:
        self._sides: dict[str, Side] = {}
        self._wishes: dict[int, Wish] = {}
        self._shared: dict[Key, Wish] = {}
        self._leaving: OrderedDict[int, list[tuple[str, int]]] = OrderedDict()
        self._touched: dict[Wish, None] = {}
        self._version = 0
        self._last = 0
        self._reconciled = False

    def say(self, replica: str, order: Said | Unsaid | Desired) -> Change:
        """Accept what a replica desires, or no longer desires."""
        side = self._sides.setdefault(replica, Side(replica))
        version = getattr(order, "version", None)
        if replica == ALONE and version is not None:
            self._version = version
        if isinstance(order, Desired):
            change = self._replace(side, order)
        else:
            self._one(side, order)
            change = self._settle(counting=replica != ALONE)
        if version is not None:
            side.note_version(self._version, version)
        return change

    def whole(self) -> Desired:
        """Return the whole merged state, for an adapter that has none of it any more."""
        self._reconciled = True
        return _desired(
            self._version, [wish.order(self._version) for wish in self._wishes.values()]
        )

    def said(self, replica: str) -> Desired | None:
        """Return the desired state of a replica as it sent it; None where it sent nothing."""
        side = self._sides.get(replica)
        return None if side is None else _desired(side.version, side.said.values())

    def count(self, names: Collection[str] | None, kept: Collection[str]) -> Change:
        """Set which replicas count.

        Args:
            names: The replicas that count; None where all do.
            kept: Replicas whose desired state is remembered though they may not count.
        """
        for side in tuple(self._sides.values()):
            counts = names is None or side.replica in names
            if counts != side.counts:
                self._set_counts(side, counts=counts)
            if not counts and side.replica not in kept:
                del self._sides[side.replica]
        change = self._settle()
        if change.orders and not self._reconciled:
            return self._as_whole(change)
        return change

    def note(self, done: Done) -> list[Answer]:
        """Note what was done natively; return the answers for replicas, under their numbers."""
        wish = self._wishes.get(done.number)
        told: list[tuple[str, int]] = []
        if done.withdrawn and done.number in self._leaving:
            told = self._leaving[done.number]
            if not done.error:
                del self._leaving[done.number]
        elif wish is not None:
            wish.done = wish.done if done.withdrawn else done
            told = wish.told()
        return [(replica, structs.replace(done, number=own)) for replica, own in told]

    def numbers(self, replica: str, matched: Iterable[int]) -> tuple[int, ...]:
        """Return the replica's own numbers for numbers of the adapter."""
        side = self._sides.get(replica)
        if side is None:
            return ()
        return tuple([side.numbers[number] for number in matched if number in side.numbers])

    def version(self, replica: str, version: int) -> int:
        """Return the version of a replica's desired state that one of the adapter's fulfils."""
        side = self._sides.get(replica)
        return 0 if side is None else side.version_at(version)

    def knows(self, names: Collection[str]) -> bool:
        """Return whether the desired state of any of some replicas is known."""
        return any(name in self._sides for name in names)

    def is_same(self, replica: str) -> bool:
        """Return whether a replica's numbers are the adapter's own."""
        side = self._sides.get(replica)
        return side is None or side.differing == 0

    def _replace(self, side: Side, desired: Desired) -> Change:
        before, side.said = side.said, {}
        for old in before.values():
            self._leave(side, old)
        orders: list[Said] = [*desired.subscriptions, *desired.announcements]
        for order in orders:
            self._one(side, order)
        alone = side.replica == ALONE
        change = self._settle(counting=not alone, again=True)
        if side.counts and (alone or not self._reconciled):
            return self._as_whole(change)
        return change

    def _as_whole(self, change: Change) -> Change:
        """Return a change as the whole state: the first one means that nothing is missing now."""
        return Change([self.whole()], change.answers)

    def _set_counts(self, side: Side, *, counts: bool) -> None:
        side.counts = counts
        for order in side.said.values():
            if counts:
                self._join(side, order)
            else:
                self._leave(side, order)

    def _one(self, side: Side, order: Said | Unsaid) -> None:
        before = side.said.pop(order.number, None)
        said = order if isinstance(order, Said) else None
        if before is not None and (said is None or key_of(said) != key_of(before)):
            self._leave(side, before)
        if said is not None:
            side.said[said.number] = said
            self._join(side, said)

    def _join(self, side: Side, order: Said) -> None:
        if not side.counts:
            return
        key = key_of(order)
        wish = side.wishes.get(order.number) or self._shared.get(key)
        if wish is None or wish.by.get(side.replica, order).number != order.number:
            wish = Wish(self._number(side, order), key)
            self._wishes[wish.number] = wish
            self._shared.setdefault(key, wish)
        wish.by.pop(side.replica, None)
        wish.by[side.replica] = order
        wish.joined[side.replica] = order.number
        side.add(order.number, wish)
        self._touched[wish] = None

    def _leave(self, side: Side, order: Said) -> None:
        wish = side.wishes.get(order.number)
        if wish is None:
            return
        side.remove(order.number, wish)
        del wish.by[side.replica]
        wish.joined.pop(side.replica, None)
        wish.left.append((side.replica, order.number))
        self._touched[wish] = None
        if side.replica == ALONE and not wish.by:
            self._end(wish)  # sent again, it gets the number that is sent then

    def _number(self, side: Side, order: Said) -> int:
        number = order.number
        if side.replica != ALONE or number in self._wishes:
            number = self._last + 1
        self._last = max(self._last, number)
        self._leaving.pop(number, None)
        return number

    def _end(self, wish: Wish) -> None:
        if self._wishes.get(wish.number) is wish:
            del self._wishes[wish.number]
        if self._shared.get(wish.key) is wish:
            del self._shared[wish.key]

    def _settle(self, *, counting: bool = True, again: bool = False) -> Change:
        """Return the orders and answers for the entries that changed.

        Args:
            counting: Whether the adapter's desired state gets a version of its own.
            again: Whether what failed is to be tried once more.
        """
        touched, self._touched = self._touched, {}
        made = [wish for wish in touched if wish.by and wish.must_be_made(again=again)]
        gone = [wish for wish in touched if not wish.by]
        for wish in gone:
            self._end(wish)
        self._version += counting and bool(made or gone)
        orders: list[Order] = [wish.make(self._version) for wish in made]
        orders += [
            wish.withdrawal(self._version)
            for wish in gone
            if wish.made is not None and wish.number not in self._wishes
        ]
        return Change(orders, [answer for wish in touched for answer in self._answers(wish)])

    def _answers(self, wish: Wish) -> list[Answer]:
        """Return what can be answered at once; the rest is answered when it is done."""
        left = [(name, own) for name, own in wish.left if own not in self._said_by(name)]
        joined, wish.joined, wish.left = wish.joined, {}, []
        if not wish.by:
            self._remember(wish.number, left)
            return []
        answers = [(replica, Done(own, withdrawn=True)) for replica, own in left]
        done = wish.done
        if done is not None:
            answers += [(name, structs.replace(done, number=own)) for name, own in joined.items()]
        return answers

    def _said_by(self, replica: str) -> Collection[int]:
        side = self._sides.get(replica)
        return () if side is None else side.said

    def _remember(self, number: int, left: list[tuple[str, int]]) -> None:
        if left and number not in self._wishes:
            self._leaving.setdefault(number, []).extend(left)
        if len(self._leaving) > LEAVING:
            self._leaving.popitem(last=False)


def _desired(version: int, orders: Iterable[Said]) -> Desired:
    orders = tuple(orders)
    subscriptions = tuple(order for order in orders if isinstance(order, Subscribe))
    announcements = tuple(order for order in orders if isinstance(order, Announce))
    return Desired(version, subscriptions, announcements)
