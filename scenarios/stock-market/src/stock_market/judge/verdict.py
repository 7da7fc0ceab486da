"""Judges a run: who had to receive what, who must not, and when.

What is right follows from the story alone: from the ticks of the run and the markets' rules.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stock_market.story import (
    ACCEPT,
    BOOK,
    CUSTOMERS,
    DATABASE,
    DELAY_S,
    DOLLARS,
    ENGINES,
    ORDER,
    PROFESSIONAL,
    QUOTE,
    RECORDS,
    SPEED,
    STRANGER,
    VERDICT,
)
from stock_market.ticks import Tick, of_run

MOST_TOLD = 20
"""Most findings that are printed of each promise."""

EARLY_S = 0.05
"""How much earlier than it had to wait an event may seem to come: two clocks are read."""

SIDES = dict(zip(("sell", "buy"), CUSTOMERS, strict=True))

PROMISES = (
    "an order reaches one engine, and the database",
    "the engines share orders out by share",
    "an acceptance reaches its customer only",
    "a quote reaches the professional and the database at once",
    "a quote reaches private customers a quarter of an hour later, in dollars",
    "a quote of the other market reaches those who take part in it",
    "the order book never leaves the floor",
    "nothing reaches anybody else, or twice",
)


@dataclass(slots=True)
class Verdict:
    """What became of each promise: findings, none where it was kept.

    Attributes:
        findings: By promise.
        ticks: How many were traded.
        received: How many events were received.
    """

    findings: dict[str, list[str]] = field(default_factory=lambda: {p: [] for p in PROMISES})
    ticks: int = 0
    received: int = 0

    @property
    def passed(self) -> bool:
        """Whether every promise was kept, and anything was traded."""
        return self.ticks > 0 and self.received > 0 and not any(self.findings.values())


Receipt = tuple[str, str, str]
"""Client, subject, and what it is about: an order or a tick."""


def judge(folder: Path) -> Verdict:
    """Return the verdict on a run."""
    lines = [json.loads(line) for line in (folder / RECORDS).read_text("utf-8").splitlines()]
    return judged(of_run(folder), lines)


def judged(ticks: list[Tick], records: Iterable[dict[str, Any]]) -> Verdict:
    """Return the verdict on what native clients wrote down.

    Args:
        ticks: What was traded.
        records: As the clients wrote them.
    """
    verdict = Verdict(ticks=len(ticks))
    published: dict[tuple[str, str], float] = {}
    received: dict[Receipt, list[dict[str, Any]]] = {}
    for record in records:
        key = (record["subject"], _about(record))
        if record["what"] == "published":
            published.setdefault(key, record["s"])
        else:
            verdict.received += 1
            received.setdefault((record["client"], *key), []).append(record)
    _Judge(ticks, published, received, verdict).judge()
    return verdict


class _Judge:
    def __init__(
        self,
        ticks: list[Tick],
        published: dict[tuple[str, str], float],
        received: dict[Receipt, list[dict[str, Any]]],
        verdict: Verdict,
    ) -> None:
        self._ticks = ticks
        self._published = published
        self._received = received
        self._findings = list(verdict.findings.values())
        self._right: set[Receipt] = set()

    def judge(self) -> None:
        """Judge all promises; what is left at the end must not have been received."""
        engine_of: dict[str, str] = {}
        for at, tick in enumerate(self._ticks):
            for side, customer in SIDES.items():
                self._order(f"t{at}.{side}", tick.share, engine_of)
                self._accepted(f"t{at}.{side}", customer)
            self._quoted(f"t{at}", tick)
            if at % 5 == 0:
                for client in (PROFESSIONAL, STRANGER):
                    self._once(5, client, QUOTE, f"other{at}")
        self._books()
        self._others()

    def _order(self, name: str, share: str, engine_of: dict[str, str]) -> None:
        self._once(0, DATABASE, ORDER, name)
        engines = [each for each in ENGINES if (each, ORDER, name) in self._received]
        if len(engines) != 1:
            self._findings[0].append(f"{name} reached {len(engines)} engines")
        for engine in engines:
            self._once(0, engine, ORDER, name)
            if engine_of.setdefault(share, engine) != engine:
                self._findings[1].append(f"{name} of {share} reached {engine}")

    def _accepted(self, name: str, customer: str) -> None:
        self._once(2, customer, ACCEPT, name)
        self._once(2, DATABASE, ACCEPT, name)

    def _quoted(self, name: str, tick: Tick) -> None:
        for client in (PROFESSIONAL, DATABASE):
            for record in self._once(3, client, QUOTE, name):
                if record["data"].get("price") != tick.price:
                    self._findings[3].append(f"{client} read {record['data']} of {name}")
        begun = self._published.get((QUOTE, name), 0.0)
        for client in CUSTOMERS:
            for record in self._once(4, client, QUOTE, name):
                waited = record["s"] - begun
                if waited < DELAY_S / SPEED - EARLY_S:
                    self._findings[4].append(f"{client} read {name} after {waited:.2f} s")
                price = record["data"].get("price", 0.0)
                dollars = record["data"].get("currency") == "USD"
                if not dollars or abs(price - tick.price * DOLLARS) > 1e-9 * tick.price:
                    self._findings[4].append(f"{client} read {record['data']} of {name}")

    def _books(self) -> None:
        for client, subject, about in self._received:
            if subject == BOOK:
                self._right.add((client, subject, about))
                if client != DATABASE:
                    self._findings[6].append(f"{client} received the order book of {about}")
        if not any(subject == BOOK for _, subject, _ in self._received):
            self._findings[6].append("nobody received an order book, not even the database")

    def _others(self) -> None:
        counts = Counter(
            {key: len(records) for key, records in self._received.items() if key[1] != BOOK}
        )
        for (client, subject, about), count in counts.items():
            if (client, subject, about) not in self._right:
                self._findings[7].append(f"{client} received {subject} {about}")
            elif count > 1:
                self._findings[7].append(f"{client} received {subject} {about} {count} times")

    def _once(
        self, promise: int, client: str, subject: str, about: str
    ) -> Iterable[dict[str, Any]]:
        """Note that a client had to receive something; return what it received of it."""
        key = (client, subject, about)
        self._right.add(key)
        records = self._received.get(key, [])
        if not records:
            self._findings[promise].append(f"{client} did not receive {subject} {about}")
        return records


def _about(record: dict[str, Any]) -> str:
    data = record["data"]
    if "xml" in data:
        return str(data["xml"]).partition('ID="')[2].partition('"')[0]
    return str(data.get("id", data.get("share", "")))


def table(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict as lines for people."""
    yield f"{verdict.ticks} ticks, {verdict.received} events received"
    for promise, findings in verdict.findings.items():
        yield f"{'kept  ' if not findings else 'BROKEN'}  {promise}"
        yield from (f"          {each}" for each in findings[:MOST_TOLD])
    yield "passed" if verdict.passed else "FAILED"


def write(verdict: Verdict, folder: Path) -> None:
    """Leave the verdict in the run folder."""
    told = {
        "passed": verdict.passed,
        "ticks": verdict.ticks,
        "received": verdict.received,
        "findings": verdict.findings,
    }
    (folder / VERDICT).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
