"""Judges a run: the story states what had to be received, and by whom."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import msgspec

from building_walk.judge.evidence import Evidence
from building_walk.judge.mail import judge_desks, judge_handheld, judge_printer
from building_walk.judge.promise import Promise
from building_walk.story import (
    CITY,
    DOORS,
    ENTRY,
    HANDHELD,
    LOG,
    MAIL,
    OPEN,
    OUTAGES,
    RECORDS,
    SIGHTING,
    VERDICT,
    Outage,
    Record,
    Story,
    read,
    record,
)

MOST_SHOWN: Final = 20
"""Most findings that are printed of each promise."""


@dataclass(slots=True)
class Verdict:
    """What became of each promise.

    Attributes:
        promises: In the order of the table.
    """

    promises: list[Promise]

    @property
    def passed(self) -> bool:
        """Whether all were due, and kept."""
        return all(each.kept for each in self.promises)


def judge(folder: Path) -> Verdict:
    """Return the verdict on a run."""
    records = map(record, (folder / RECORDS).read_text("utf-8").splitlines())
    path = folder / OUTAGES
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    outages = [msgspec.json.decode(line, type=Outage) for line in lines]
    return judged(read(folder), records, outages)


def judged(story: Story, records: Iterable[Record], outages: Iterable[Outage] = ()) -> Verdict:
    """Return the verdict on what native clients wrote.

    Args:
        story: What had to happen.
        records: As the clients wrote them.
        outages: Of services that were killed.
    """
    evidence = Evidence(records, outages)
    promises: list[Promise] = []

    def promise(text: str) -> Promise:
        promises.append(Promise(text))
        return promises[-1]

    _log(story, evidence, promise("the log has each sighting and each mail: they are persistent"))
    _doors(story, evidence, promise("the door of a room opens for who has the right, and enters"))
    judge_desks(
        story,
        evidence,
        promise("mail comes in full to the desk of the room that its owner is in"),
        promise("mail comes to no other desk"),
    )
    judge_handheld(story, evidence, promise("the handheld has its owner's mail as headlines alone"))
    judge_printer(evidence, promise("the printer is refused"))
    for who, path in ((HANDHELD, ("g-air", "policy")), (CITY, ("g-city",))):
        text = f"sightings of visitors, and of nobody else, reach the {who}"
        _visitors(story, evidence, who, path, promise(text))
    _once(evidence, promise("nothing is received twice"))
    if story.restarts:
        _restarts(story, evidence, promise("each service was restarted while the walk went on"))
    return Verdict(promises)


def _log(story: Story, evidence: Evidence, promise: Promise) -> None:
    received = evidence.received[LOG]
    for event, number in (
        *((SIGHTING, number) for number in range(len(story.sightings))),
        *((MAIL, number) for number in range(len(story.mails))),
    ):
        promise.due(evidence, (event, number), "the log", received=(event, number) in received)


def _doors(story: Story, evidence: Evidence, promise: Promise) -> None:
    received = evidence.received[DOORS]
    for number, each in enumerate(story.sightings):
        if not story.opens(each):
            continue
        path = (f"bus-{each.room}", "g-doors")
        promise.due(evidence, (ENTRY, number), "a door", path, received=(OPEN, number) in received)
    for (_, number), records in received.items():
        opens = number < len(story.sightings) and story.opens(story.sightings[number])
        for opened in records:
            if not opens or opened.room != story.sightings[number].room:
                promise.finding(f"the door of {opened.room} opened for entry {number}: no right")


def _visitors(
    story: Story, evidence: Evidence, who: str, services: tuple[str, ...], promise: Promise
) -> None:
    received = evidence.received[who]
    for number, each in enumerate(story.sightings):
        key = (SIGHTING, number)
        if story.is_visitor(each.person):
            path = (f"bus-{each.room}", *services)
            promise.due(evidence, key, f"the {who}", path, received=key in received)
        elif key in received:
            promise.finding(f"the {who} received sighting {number}, of {each.person}")


def _once(evidence: Evidence, promise: Promise) -> None:
    for client, received in evidence.received.items():
        for (event, number), records in received.items():
            promise.count()
            if len(records) > 1:
                promise.finding(f"{client} received {event} {number} {len(records)} times")


def _restarts(story: Story, evidence: Evidence, promise: Promise) -> None:
    seen = {each.name for each in evidence.outages}
    for each in story.restarts:
        promise.count()
        if each.name not in seen:
            promise.finding(f"{each.name} was not restarted, or did not come back")


def table(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict as lines for people."""
    yield f"{'':6}  {'due':>5}  {'away':>5}"
    for each in verdict.promises:
        word = "kept" if each.kept else "BROKEN"
        yield f"{word:6}  {each.checked:>5}  {each.excused:>5}  {each.text}"
        yield from (f"          {text}" for text in each.findings[:MOST_SHOWN])
    yield "passed" if verdict.passed else "FAILED"


def write(verdict: Verdict, folder: Path) -> None:
    """Leave the verdict in the run folder."""
    shown = {
        "passed": verdict.passed,
        "promises": [{"kept": each.kept, **asdict(each)} for each in verdict.promises],
    }
    (folder / VERDICT).write_text(json.dumps(shown, indent=1) + "\n", "utf-8")
