"""A subscription or announcement that replicas want, and what one replica said that it requests."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from fes.errors import CodecError
from fes.link.body import read_body
from fes.link.messages import Announce, Done, Subscribe, Unannounce, Unsubscribe

ALONE: Final = ""
"""Name of a gateway that has no replicas."""

VERSIONS: Final = 256
"""Most versions of a replica's desired state that are remembered as not fulfilled yet."""

Said = Subscribe | Announce
Unsaid = Unsubscribe | Unannounce

Key = tuple[str, str | bytes]
"""Equal where two replicas want the same."""


def key_of(order: Said) -> Key:
    """Return what makes two replicas' wishes the same: the filter, or the subject announced."""
    if isinstance(order, Subscribe):
        return "subscription", order.filter
    try:
        return "announcement", read_body(order.body).subject
    except CodecError:
        return "announcement", order.body


@dataclass(slots=True, eq=False)
class Wish:
    """One native subscription or announcement.

    Attributes:
        number: Names it inside the adapter.
        key: What is requested.
        by: Replica to its order; the last one to say it is the last.
        joined: Replicas that are to be notified of it, with their numbers.
        left: Replicas that want it no longer, with their numbers.
        done: What the adapter told of it last; None where it is not done yet.
        made: What the adapter was ordered: a filter, or a body.
    """

    number: int
    key: Key
    by: dict[str, Said] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)
    left: list[tuple[str, int]] = field(default_factory=list)
    done: Done | None = None
    made: str | bytes | None = None

    def must_be_made(self, *, again: bool) -> bool:
        """Return whether the adapter has no order for it; `again` where one that failed is none."""
        failed = self.done is not None and bool(self.done.error)
        return self.made != self._content() or (again and failed)

    def make(self, version: int) -> Said:
        """Return the order that makes it, which is not done yet."""
        self.made, self.done = self._content(), None
        return self.order(version)

    def order(self, version: int) -> Said:
        """Return the order that makes it."""
        content = self._content()
        if isinstance(content, str):
            return Subscribe(self.number, content, version)
        return Announce(self.number, content)

    def withdrawal(self, version: int) -> Unsaid:
        """Return the order that withdraws it."""
        if isinstance(self.made, str):
            return Unsubscribe(self.number, version)
        return Unannounce(self.number)

    def told(self) -> list[tuple[str, int]]:
        """Return the replicas that want it, with their numbers."""
        return [(replica, order.number) for replica, order in self.by.items()]

    def _content(self) -> str | bytes:
        last = next(reversed(self.by.values()))
        return last.filter if isinstance(last, Subscribe) else last.body


@dataclass(slots=True)
class Side:
    """What one replica requests.

    Attributes:
        replica: Its name.
        counts: Whether it lives, so that what it requests shall contain.
        said: Its orders, by its numbers.
        wishes: What they are to the adapter, by its numbers.
        numbers: The adapter's number to its own.
        differing: Numbers of its own that are not the adapter's.
    """

    replica: str
    counts: bool = True
    said: dict[int, Said] = field(default_factory=dict)
    wishes: dict[int, Wish] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    differing: int = 0
    _versions: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=VERSIONS))

    def add(self, own: int, wish: Wish) -> None:
        """Note what a number of its own is to the adapter."""
        if own not in self.wishes:
            self.wishes[own] = wish
            self.numbers[wish.number] = own
            self.differing += own != wish.number

    def remove(self, own: int, wish: Wish) -> None:
        """Note that a number of its own names nothing any more."""
        del self.wishes[own]
        del self.numbers[wish.number]
        self.differing -= own != wish.number

    def note_version(self, version: int, own: int) -> None:
        """Note that a version of the adapter's desired state fulfils one of its own."""
        if self._versions and self._versions[-1][0] == version:
            self._versions.pop()
        self._versions.append((version, own))

    @property
    def version(self) -> int:
        """The newest version of its own; 0 for none."""
        return self._versions[-1][1] if self._versions else 0

    def version_at(self, version: int) -> int:
        """Return the newest version of its own that one of the adapter's fulfils; 0 for none."""
        versions = self._versions
        while len(versions) > 1 and versions[1][0] <= version:
            versions.popleft()
        return versions[0][1] if versions else 0
