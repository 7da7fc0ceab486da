"""What native clients wrote down beside the logs: who received what, with all its parameters.

A run may have `records.jsonl`: lines with `what` (`published` or `received`), `client` (its event
service), `subject` and `data` (the parameters). They have no identity, so that a client's receipt
is right where any other client could have sent it; but they have what the event log lacks.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from analytics.inputs.folder import json_lines
from analytics.scopes import names
from analytics.scopes.filters import Content
from analytics.scopes.graph import Graph
from analytics.scopes.judging import Charges
from analytics.scopes.paths import Found, paths

RECORDS: Final = "records.jsonl"


@dataclass(slots=True)
class Witnessed:
    """What native clients noted.

    Attributes:
        receipts: How many of them were judged.
        charges: By promise.
    """

    receipts: int = 0
    charges: dict[str, Charges] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    client: str
    subject: str
    data: dict[str, Any]
    received: bool

    @property
    def key(self) -> str:
        return json.dumps([self.client, self.subject, self.data], sort_keys=True)


def witnessed(folder: Path, graphs: list[Graph], services: frozenset[str]) -> Witnessed:
    """Return what native clients noted in a run; nothing where they noted nothing.

    Args:
        folder: The run.
        graphs: Before any change of scopes, and after each.
        services: Event services of the federation.

    Raises:
        CannotJudgeError: A line is not JSON.
    """
    found = Witnessed()
    path = folder / RECORDS
    if not path.is_file():
        return found
    search = cache(lambda at, home, to, subject: paths(graphs[at], home, to, subject))
    publishers: dict[str, set[str]] = {}
    own: set[str] = set()
    for record in _records(path, services):
        if not record.received:
            publishers.setdefault(record.client, set()).add(record.subject)
            own.add(record.key)
            continue
        found.receipts += 1
        if record.key not in own:
            _judge(record, publishers, [*range(len(graphs))], search, found)
    return found


def _judge(
    record: _Record,
    publishers: dict[str, set[str]],
    generations: list[int],
    search: Any,
    found: Witnessed,
) -> None:
    blocked: list[str] = []
    reached = False
    for home, subjects in publishers.items():
        for subject in subjects if home != record.client else ():
            for at in generations:
                result: Found = search(at, home, record.client, subject)
                if not result.complete or _lets(result, record):
                    return
                reached = reached or bool(result.ends or result.blocked)
                blocked += result.blocked
                blocked += [place for end in result.ends for place, _ in end.pending]
    promise = names.INTERFACES if reached else names.VISIBLE
    places = ", ".join(sorted(set(blocked)))
    reason = f"received {record.subject}: " + (
        f"blocked by {places}" if reached else "nobody who published has a common superscope"
    )
    charges = found.charges.setdefault(promise, Charges())
    charges.add(1, record.client, reason, f"{RECORDS}:{record.line}")


def _lets(found: Found, record: _Record) -> bool:
    content = Content(record.subject, record.data)
    return any(
        end.content.subject in (None, record.subject) and end.passes(content) for end in found.ends
    )


def _records(path: Path, services: frozenset[str]) -> Iterator[_Record]:
    for number, line in json_lines(path):
        client, subject, data = str(line.get("client")), line.get("subject"), line.get("data")
        if not isinstance(subject, str) or not isinstance(data, dict) or client not in services:
            continue
        if line.get("what") in ("published", "received"):
            yield _Record(number, client, subject, data, line["what"] == "received")
