"""What one client had to receive, compared with what it received."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from traffic_control_events.judge.records import Copy

KINDS = ("missing", "unexpected", "doubled", "altered", "astray")
"""What may be wrong with what somebody received: it did not arrive, was not for it, arrived
twice, had another content than was published, or came by an impossible route."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one client had to receive, and what it received.

    Attributes:
        client: Who.
        about: What it requests.
        expected: How many it had to get.
        received: How many different ones it got that were for it.
        faults: What is wrong, by kind; kinds that were not looked for are absent.
    """

    client: str
    about: str
    expected: int
    received: int
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.faults.values())


@dataclass(frozen=True, slots=True)
class Due:
    """Which events are for a client, by their identities.

    Attributes:
        must: Those that it has to get.
        may: Those that it may get: these, and those of which either is right.
    """

    must: frozenset[str]
    may: frozenset[str]

    def only(self, kept: frozenset[str]) -> "Due":
        """Return the same of some events only."""
        return Due(self.must & kept, self.may & kept)


def compare(
    client: str,
    about: str,
    copies: Sequence[Copy],
    due: Due,
    said: Mapping[str, Copy],
    strayed: Callable[[Copy], bool],
) -> Row:
    """Compare what a client received with what was for it.

    Args:
        client: Who.
        about: What it requests.
        copies: What it received.
        due: What was for it.
        said: What was published, by identity, in order.
        strayed: States whether a copy came by an impossible route.
    """
    counts = Counter(copy.id for copy in copies)
    known = [copy for copy in copies if copy.id in due.may]
    faults = {
        "missing": tuple(id_ for id_ in said if id_ in due.must and id_ not in counts),
        "unexpected": tuple(id_ for id_ in counts if id_ not in due.may),
        "doubled": tuple(id_ for id_, count in counts.items() if count > 1),
        "altered": tuple(copy.id for copy in known if _altered(copy, said[copy.id])),
        "astray": tuple(copy.id for copy in known if strayed(copy)),
    }
    return Row(client, about, len(due.must), len({copy.id for copy in known}), faults)


def compare_sets(client: str, about: str, wanted: frozenset[str], found: frozenset[str]) -> Row:
    """Compare what had to be there with what was, of things that are there or not."""
    faults = {
        "missing": tuple(sorted(wanted - found)),
        "unexpected": tuple(sorted(found - wanted)),
    }
    return Row(client, about, len(wanted), len(wanted & found), faults)


def _altered(copy: Copy, said: Copy) -> bool:
    return (copy.subject, copy.data) != (said.subject, said.data)
