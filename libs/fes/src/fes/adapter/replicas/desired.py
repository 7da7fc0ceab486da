"""A subscription or announcement that replicas desire, and the desired state of one replica."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from fes.errors import CodecError
from fes.link.body import read_body
from fes.link.messages import Announce, Done, Subscribe, Unannounce, Unsubscribe

ALONE: Final = ""
"""Name that replaces a replica's for a gateway without replicas."""

VERSIONS: Final = 256
"""Most versions of a replica's desired state that are remembered as not fulfilled yet."""

Said = Subscribe | Announce
Unsaid = Unsubscribe | Unannounce

Key = tuple[str, str | bytes]
"""Equal where two replicas desire the same."""


def key_of(order: Said) -> Key:
    """Return the key of an order, equal for two replicas: the filter, or the announced subject."""
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
        number: Identifies it inside the adapter.
        key: What is requested.
        by: Order by replica; the latest is the last.
        joined: Replicas to which its outcome is to be reported, with their numbers.
        left: Replicas that no longer desire it, with their numbers.
        done: What the adapter reported of it last; None where it is not done yet.
        made: The filter or body that the adapter was ordered to apply.
    """

    number: int
    key: Key
    by: dict[str, Said] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)
    left: list[tuple[str, int]] = field(default_factory=list)
    done: Done | None = None
    made: str | bytes | None = None

    def must_be_made(self, *, again: bool) -> bool:
        """Return whether the adapter has no order for it.

        With `again` one that failed does not count.
        """
        failed = self.done is not None and bool(self.done.error)
        return self.made != self._content() or (again and failed)

    def make(self, version: int) -> Said:
        """Return the order that makes it, and note that it is not done yet."""
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
        """Return the replicas that desire it, with their numbers."""
        return [(replica, order.number) for replica, order in self.by.items()]

    def _content(self) -> str | bytes:
        last = next(reversed(self.by.values()))
        return last.filter if isinstance(last, Subscribe) else last.body


@dataclass(slots=True)
class Side:
    """The desired state of one replica.

    Attributes:
        replica: Its name.
        counts: Whether it lives, so that its desired state is applied.
        said: Its orders, by its own numbers.
        wishes: The adapter's entries for them, by the replica's own numbers.
        numbers: Its own number by the adapter's number.
        differing: Its own numbers that differ from the adapter's.
    """

    replica: str
    counts: bool = True
    said: dict[int, Said] = field(default_factory=dict)
    wishes: dict[int, Wish] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    differing: int = 0
    _versions: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=VERSIONS))

    def add(self, own: int, wish: Wish) -> None:
        """Note the adapter's entry for one of its own numbers."""
        if own not in self.wishes:
            self.wishes[own] = wish
            self.numbers[wish.number] = own
            self.differing += own != wish.number

    def remove(self, own: int, wish: Wish) -> None:
        """Note that one of its own numbers is unused now."""
        del self.wishes[own]
        del self.numbers[wish.number]
        self.differing -= own != wish.number

    def note_version(self, version: int, own: int) -> None:
        """Note which of its own versions a version of the adapter's desired state fulfils."""
        if self._versions and self._versions[-1][0] == version:
            self._versions.pop()
        self._versions.append((version, own))

    @property
    def version(self) -> int:
        """The newest of its own versions; 0 for none."""
        return self._versions[-1][1] if self._versions else 0

    def version_at(self, version: int) -> int:
        """Return its newest own version that a version of the adapter's fulfils; 0 for none."""
        versions = self._versions
        while len(versions) > 1 and versions[1][0] <= version:
            versions.popleft()
        return versions[0][1] if versions else 0
