"""The judge: it reads what the native clients wrote down, and nothing else.

It shares no code with what it judges: neither filters nor stamps nor the event log.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from persistent_scenario.errors import InputError
from persistent_scenario.kills import How
from persistent_scenario.records import (
    KILLED,
    PUBLISHED,
    RECEIVED,
    Killed,
    Line,
    Received,
    Stored,
    Suppressed,
    Tried,
    read,
)
from persistent_scenario.story import clients, expected_by

EXAMPLES = 3
"""Most breaches of a promise that are named."""


@dataclass(frozen=True, slots=True)
class Promise:
    """Whether a promise was kept.

    Attributes:
        name: What was promised.
        breaches: What broke it, in words; empty where it was kept.
        held: What was looked at, in words.
    """

    name: str
    breaches: tuple[str, ...]
    held: str

    @property
    def detail(self) -> str:
        """The breaches, or what was looked at."""
        if not self.breaches:
            return self.held
        named = "; ".join(self.breaches[:EXAMPLES])
        more = len(self.breaches) - EXAMPLES
        return f"{named}; and {more} more" if more > 0 else named


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the clients wrote down of a run.

    Attributes:
        tried: What was going to be published, by identity.
        stored: Identities that the event service acknowledged.
        received: What each client got, in order.
        suppressed: Copies that each client's native API kept from it.
        kills: What was killed, and when.
    """

    tried: dict[str, Tried] = field(default_factory=dict)
    stored: dict[str, Stored] = field(default_factory=dict)
    received: dict[str, list[Received]] = field(
        default_factory=lambda: {name: [] for name in clients()}
    )
    suppressed: dict[str, int] = field(default_factory=dict)
    kills: list[Killed] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Accept a line."""
        match line:
            case Tried():
                self.tried[line.identity] = line
            case Stored():
                self.stored[line.identity] = line
            case Received():
                self.received.setdefault(line.by, []).append(line)
            case Suppressed():
                self.suppressed[line.by] = line.count
            case Killed():
                self.kills.append(line)


def collect(folder: Path) -> Evidence:
    """Return what the clients of a run wrote down.

    Raises:
        InputError: A file is missing or has what is not a line of ours, or nothing was published.
    """
    evidence = Evidence()
    try:
        for name in (PUBLISHED, RECEIVED, KILLED):
            for line in read(folder / name):
                evidence.add(line)
    except (ValueError, OSError) as error:
        raise InputError(f"nothing to judge: {error}") from error
    if not evidence.stored:
        raise InputError(f"nothing to judge: {folder / PUBLISHED} contains no reading")
    return evidence


def judge(evidence: Evidence) -> list[Promise]:
    """Return for each promise whether it was kept."""
    owed = sum(len(_owed_to(name, evidence)) for name in evidence.received)
    got = sum(map(len, evidence.received.values()))
    return [
        _promise("nothing is lost", _lost(evidence), f"{owed} deliveries due, each made"),
        _promise("nothing is doubled", _doubled(evidence), f"{got} deliveries, each once"),
        _promise("the order of each origin", _disordered(evidence), "no reading before an older"),
        _promise("nothing unasked arrives", _unasked(evidence), f"{got} deliveries, all requested"),
        _promise("nothing is made up or changed", _changed(evidence), f"{got} as published"),
        _promise("what was killed is back", _silent(evidence), _outlived(evidence)),
    ]


def _promise(name: str, breaches: Iterable[str], held: str) -> Promise:
    return Promise(name, tuple(breaches), held)


def _lost(evidence: Evidence) -> Iterator[str]:
    for name, received in evidence.received.items():
        got = {each.identity for each in received}
        for identity in _owed_to(name, evidence):
            if identity not in got:
                yield f"{name} did not get {identity}"


def _owed_to(name: str, evidence: Evidence) -> list[str]:
    """Return what was acknowledged and a client requested."""
    tried = evidence.tried
    return [
        identity
        for identity in evidence.stored
        if identity in tried and expected_by(name, tried[identity].value)
    ]


def _doubled(evidence: Evidence) -> Iterator[str]:
    for name, received in evidence.received.items():
        identities = Counter(each.identity for each in received)
        yield from (f"{name} got {each} {n} times" for each, n in identities.items() if n > 1)
        contents = Counter({(each.identity, each.origin, each.number): 1 for each in received})
        numbers = Counter((origin, number) for _, origin, number in contents)
        for (origin, number), count in numbers.items():
            if count > 1:
                yield f"{name} got number {number} of {origin} under {count} identities"


def _disordered(evidence: Evidence) -> Iterator[str]:
    for name, received in evidence.received.items():
        newest: dict[str, int] = defaultdict(int)
        seen: set[str] = set()
        for each in received:
            if each.identity in seen:
                continue  # a copy, which another promise is about
            seen.add(each.identity)
            if each.number < newest[each.origin]:
                yield f"{name} got {each.identity} after number {newest[each.origin]}"
            newest[each.origin] = max(newest[each.origin], each.number)


def _unasked(evidence: Evidence) -> Iterator[str]:
    for name, received in evidence.received.items():
        for each in received:
            if not expected_by(name, each.value):
                yield f"{name} got {each.identity} of value {each.value}"


def _changed(evidence: Evidence) -> Iterator[str]:
    for name, received in evidence.received.items():
        for each in received:
            made = evidence.tried.get(each.identity)
            if made is None:
                yield f"{name} got {each.identity}, which nobody published"
            elif (made.origin, made.number, made.value) != (each.origin, each.number, each.value):
                yield f"{name} got {each.identity} with another content"


def _silent(evidence: Evidence) -> Iterator[str]:
    """Yield the kills after which a client got nothing that was published later."""
    newest = {name: _newest(received, evidence) for name, received in evidence.received.items()}
    for kill in evidence.kills:
        for name, at_us in newest.items():
            if at_us <= kill.at_us:
                verb = "" if kill.how is How.STOOD_STILL else "was "
                what = f"{'+'.join(kill.parts)} {verb}{kill.how.value}"
                yield f"{name} got nothing that was published after {what}"


def _outlived(evidence: Evidence) -> str:
    """Return how many times something went wrong, and what."""
    counts = Counter(kill.how for kill in evidence.kills)
    of_kinds = [f"{counts[how]} {how.value}" for how in How if how is not How.KILLED]
    return f"{counts[How.KILLED]} kills outlived" + "".join(f", {each}" for each in of_kinds)


def _newest(received: Sequence[Received], evidence: Evidence) -> int:
    made = (evidence.tried.get(each.identity) for each in received)
    return max((each.at_us for each in made if each is not None), default=0)
