"""Leaks of scopes, planted in the logs of a good run of the stock market, each of its own kind."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analytics.scopes import names
from support.judge.runs import Line
from support.judge.wrongs import edit, event_log_of, index_of

MADE = re.compile(r"~[0-9a-f]{16}")
US = 1_000_000


class Leak(NamedTuple):
    """A leak: how it is planted, and what the judge has to name.

    Attributes:
        plant: Alters the lines of the event log; returns nothing.
        promise: Which promise it breaks.
        place: Where.
        reason: What the reason contains.
        file: Whose lines are altered: those of the event log, or of native clients.
    """

    plant: Callable[[list[Line]], None]
    promise: str
    place: str
    reason: str
    file: str = ""


def plant(run: Path, leak: Leak) -> None:
    """Plant a leak in the logs of a run."""
    edit(run / leak.file if leak.file else event_log_of(run, "g1"), leak.plant)


def _published(lines: list[Line], to: str, subject: str) -> Line:
    return lines[index_of(lines, decision="published", to=to, subject=subject)]


def _given(to: str, subject: str, beside: str) -> Callable[[list[Line]], None]:
    """Have an event that one event service received be received by another, too."""

    def plant(lines: list[Line]) -> None:
        line = _published(lines, to, subject)
        lines.append({**line, "to": beside, "name": f"g1.{beside}"})

    return plant


def _altered(to: str, subject: str, alter: Callable[[Line], Line]) -> Callable[[list[Line]], None]:
    def plant(lines: list[Line]) -> None:
        line = _published(lines, to, subject)
        lines[lines.index(line)] = {**line, **alter(line)}

    return plant


def _from_customer(lines: list[Line]) -> None:
    """Have an order of the professional reach an engine, though its interface is empty."""
    line = _published(lines, "siena-me1", "Order")
    own = {"id": "client-cns-c3/1/1", "home": "cns-c3"}
    heard = {"decision": "received", "name": "g1.cns-c3", "from": "cns-c3"}
    lines.append({key: line[key] for key in line if key != "to"} | own | heard)
    lines.append({**line, **own})


def _of_nothing(line: Line) -> Line:
    origin, epoch, _ = line["id"].rsplit("/", 2)
    return {"id": f"{origin}/{epoch}/999999"}


def _derived(line: Line) -> Line:
    origin, epoch, number = line["id"].rsplit("/", 2)
    return {"id": f"{origin}~0123456789abcdef/{epoch}/{number}"}


def _applied(source: str, service: str, kind: str) -> Callable[[list[Line]], None]:
    def plant(lines: list[Line]) -> None:
        line = lines[index_of(lines, decision="applied", type="subscription")]
        lines.append({**line, "from": source, "to": service, "type": kind})

    return plant


def _no_number(lines: list[Line]) -> None:
    at = next(
        at
        for at, line in enumerate(lines)
        if line["what"] == "received" and line["client"] in ("siena-me1", "siena-me2")
    )
    lines[at]["data"]["number"] = 0


def _book_outside(lines: list[Line]) -> None:
    line = next(
        line for line in lines if line["subject"] == "OrderBook" and line["what"] == "received"
    )
    lines.append({**line, "client": "siena-c4"})


RECORDS = "records.jsonl"
LEAKS = {
    "no common superscope": Leak(
        _given("siena-me1", "Order", "siena-c4"),
        names.VISIBLE,
        "siena-c4",
        "have no common superscope",
    ),
    "past an output interface": Leak(
        _given("cns-db", "OrderBook", "cns-c3"),
        names.INTERFACES,
        "cns-c3",
        "output of TF to Prof",
    ),
    "past an empty interface": Leak(
        _from_customer, names.INTERFACES, "siena-me1", "output of C3 to Prof"
    ),
    "past an input interface": Leak(
        _no_number, names.INTERFACES, "siena-me", "input of TF from C1", RECORDS
    ),
    "seen by a client that nobody sends to": Leak(
        _book_outside, names.INTERFACES, "siena-c4", "blocked by", RECORDS
    ),
    "unmapped": Leak(
        _altered("siena-c1", "Quote", lambda line: {"id": MADE.sub("", line["id"])}),
        names.IDENTITY,
        "siena-c1",
        "is unmapped",
    ),
    "derived where nothing maps": Leak(
        _altered("siena-c4", "Quote", _derived), names.IDENTITY, "siena-c4", "nothing maps"
    ),
    "made of nothing": Leak(
        _altered("cns-db", "Order", _of_nothing), names.IDENTITY, "cns-db", "nobody published"
    ),
    "made into something else": Leak(
        _altered("cns-db", "Order", lambda _: {"subject": "Trade"}),
        names.IDENTITY,
        "cns-db",
        "a mapping makes Order",
    ),
    "two of n": Leak(_given("siena-me1", "Order", "siena-me2"), names.ONE, "Engines", "siena-me2"),
    "early": Leak(
        _altered("siena-c2", "Quote", lambda line: {"time_us": line["time_us"] - 600 * US}),
        names.DELAY,
        "siena-c2",
        "not after 900 s",
    ),
    "another session": Leak(
        _given("siena-c1", "Accept", "siena-c2"), names.SESSION, "siena-c2", "session C1"
    ),
    "a request that is not visible": Leak(
        _applied("siena-c4", "siena-c1", "subscription"),
        names.CONTROL,
        "siena-c1",
        "siena-c4 sees nothing of siena-c1",
    ),
    "an announcement that is not visible": Leak(
        _applied("siena-me1", "siena-f2", "announcement"),
        names.CONTROL,
        "siena-f2",
        "siena-f2 sees nothing of siena-me1",
    ),
}
"""Leaks by name."""
