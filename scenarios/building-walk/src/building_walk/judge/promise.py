"""One promise: how often it was due, what broke it, and what was excused by an outage."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from building_walk.judge.evidence import Evidence, Key


@dataclass(slots=True)
class Promise:
    """What became of a promise.

    Attributes:
        text: In words.
        checked: How often it was due.
        excused: Losses of best-effort events while a service on their path was away.
        findings: What broke it.
    """

    text: str
    checked: int = 0
    excused: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def kept(self) -> bool:
        """Whether it was due at all, and nothing broke it."""
        return self.checked > self.excused and not self.findings

    def count(self, number: int = 1) -> None:
        """Count that it was due."""
        self.checked += number

    def finding(self, text: str) -> None:
        """Note what broke it."""
        self.findings.append(text)

    def missing(self, text: str, *, excused: bool) -> None:
        """Note a loss, which an outage may excuse."""
        if excused:
            self.excused += 1
        else:
            self.finding(text)

    def due(
        self, evidence: Evidence, key: Key, who: str, path: Iterable[str] = (), *, received: bool
    ) -> None:
        """Judge one event that somebody had to receive.

        Args:
            evidence: Has when it was published, and what was away then.
            key: Of the event.
            who: Had to.
            path: Services whose outage excuses a loss; none where the event is persistent.
            received: Whether it was.
        """
        self.count()
        published = evidence.published.get(key)
        if published is None:
            self.finding(f"{key[0]} {key[1]} was not published")
        elif not received:
            away = evidence.was_away(path, published.due_s, published.s)
            self.missing(f"{who} did not receive {key[0]} {key[1]}", excused=away)
