"""The judge names each fault that is planted in what the clients wrote."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import msgspec
import pytest
from building_walk import walking
from building_walk.judge.verdict import Verdict, judged, table
from building_walk.story import (
    ENTRY,
    MAIL,
    OPEN,
    SIGHTING,
    Outage,
    Record,
    Restart,
    Story,
)

BEGUN_S = 1_000.0
TOLD = walking.tell(40, 1, 1.0)
Records = list[Record]


def at(step: int) -> float:
    return BEGUN_S + step


def good(told: Story = TOLD) -> Records:
    """Return what the clients of a good run wrote."""
    return [
        *(each for number in range(len(told.sightings)) for each in _sighted(told, number)),
        *(each for number in range(len(told.mails)) for each in _mailed(told, number)),
        Record(at(1), "refused", "printer", MAIL),
    ]


def _sighted(told: Story, number: int) -> Iterator[Record]:
    each = told.sightings[number]
    s = at(each.step)
    yield Record(s + 0.01, "published", each.room, SIGHTING, number, each.room, due_s=s)
    yield Record(s + 0.02, "received", "log", SIGHTING, number)
    if not told.people[each.person].staff:
        yield Record(s + 0.03, "received", "handheld", SIGHTING, number)
        yield Record(s + 0.03, "received", "city", SIGHTING, number)
    if each.entered:
        yield Record(s + 0.01, "published", each.room, ENTRY, number, each.room, due_s=s)
        if each.room in told.people[each.person].rooms:
            yield Record(s + 0.03, "received", "doors", OPEN, number, each.room)


def _mailed(told: Story, number: int) -> Iterator[Record]:
    mail = told.mails[number]
    s = at(mail.step) + 0.5
    about = Record(s, "", "", MAIL, number, owner=mail.owner, headline=mail.headline(number))
    shown = partial(msgspec.structs.replace, about)
    yield shown(s=s + 0.01, what="published", client="office", due_s=s)
    yield shown(s=s + 0.02, what="received", client="log")
    if mail.owner == "ann":
        yield shown(s=s + 0.03, what="received", client="handheld")
    room = where(told, mail.owner, mail.step)
    yield shown(s=s + 0.03, what="received", client=f"desk-{room}", body=mail.body(number))


def where(told: Story, person: str, step: int) -> str:
    return next(each.room for each in told.sightings if (each.step, each.person) == (step, person))


def stayed(told: Story = TOLD) -> int:
    """Return the number of a mail whose owner had been in one room for long, and stayed."""
    for number, mail in enumerate(told.mails):
        around = range(mail.step - 3, mail.step + 4)
        if around.start >= 0 and around.stop < told.steps:
            rooms = {where(told, mail.owner, step) for step in around}
            if len(rooms) == 1:
                return number
    raise AssertionError("nobody stays anywhere")


def find(records: Records, client: str, event: str, number: int | None = None) -> Record:
    return next(
        each
        for each in records
        if (each.client, each.event) == (client, event)
        and each.what == "received"
        and number in (None, each.number)
    )


def lost(client: str, event: str, number: int | None = None) -> Callable[[Records], None]:
    return lambda records: records.remove(find(records, client, event, number))


def twice(client: str, event: str) -> Callable[[Records], None]:
    return lambda records: records.append(find(records, client, event))


def also(client: str, event: str, number: int, room: str = "") -> Callable[[Records], None]:
    s = at(TOLD.sightings[number].step if event != MAIL else TOLD.mails[number].step)
    return lambda records: records.append(Record(s + 0.6, "received", client, event, number, room))


def in_full(records: Records) -> None:
    found = find(records, "handheld", MAIL)
    records.remove(found)
    records.append(msgspec.structs.replace(found, body=TOLD.mails[found.number].body(found.number)))


def cut(records: Records) -> None:
    number = stayed()
    mail = TOLD.mails[number]
    found = find(records, f"desk-{where(TOLD, mail.owner, mail.step)}", MAIL, number)
    records.remove(found)
    records.append(msgspec.structs.replace(found, body=""))


def unrefused(records: Records) -> None:
    records[:] = [each for each in records if each.what != "refused"]


def unpublished(records: Records) -> None:
    records.remove(
        next(each for each in records if each.what == "published" and each.event == SIGHTING)
    )


def number_of(right: bool) -> int:  # noqa: FBT001 - a property of an entry
    return next(
        number
        for number, each in enumerate(TOLD.sightings)
        if each.entered and TOLD.opens(each) is right
    )


@dataclass(frozen=True)
class Fault:
    plant: Callable[[Records], None]
    expected: str


FOLLOWED = TOLD.mails[stayed()]
ROOM = where(TOLD, FOLLOWED.owner, FOLLOWED.step)
NEVER = next(
    room
    for room in TOLD.rooms
    if all(
        where(TOLD, FOLLOWED.owner, step) != room
        for step in range(max(0, FOLLOWED.step - 6), min(TOLD.steps, FOLLOWED.step + 6))
    )
)
STAFF = next(n for n, each in enumerate(TOLD.sightings) if not TOLD.is_visitor(each.person))
BOBS = next(number for number, mail in enumerate(TOLD.mails) if mail.owner == "bob")

FAULTS = {
    "a door opened without the right": Fault(
        also("doors", OPEN, number_of(False), TOLD.sightings[number_of(False)].room),
        f"opened for entry {number_of(False)}: no right",
    ),
    "another door opened": Fault(
        also("doors", OPEN, number_of(True), "lift"), "the door of lift opened"
    ),
    "a door that stayed shut": Fault(lost("doors", OPEN), "a door did not receive"),
    "mail in full at the handheld": Fault(in_full, "the handheld received all of mail"),
    "somebody else's headline at the handheld": Fault(
        also("handheld", MAIL, BOBS), f"the handheld received mail {BOBS}, of bob"
    ),
    "a headline that is lost": Fault(lost("handheld", MAIL), "the handheld did not receive"),
    "a lost persistent sighting": Fault(lost("log", SIGHTING), "the log did not receive"),
    "a lost persistent mail": Fault(lost("log", MAIL), f"the log did not receive {MAIL}"),
    "a sighting that was not published": Fault(unpublished, f"{SIGHTING} 0 was not published"),
    "mail that does not follow": Fault(
        lost(f"desk-{ROOM}", MAIL, stayed()), f"did not come to the desk of {ROOM}"
    ),
    "mail without its text at a desk": Fault(cut, "received '' of mail"),
    "mail at a desk where its owner is not": Fault(
        also(f"desk-{NEVER}", MAIL, stayed()), f"came to the desk of {NEVER}"
    ),
    "mail at the printer": Fault(also("printer", MAIL, 0), "the printer received"),
    "a printer that nobody refused": Fault(unrefused, "never refused"),
    "a visitor whom the city misses": Fault(lost("city", SIGHTING), "the city did not receive"),
    "a visitor whom the handheld misses": Fault(
        lost("handheld", SIGHTING), f"the handheld did not receive {SIGHTING}"
    ),
    "staff seen by the city": Fault(
        also("city", SIGHTING, STAFF), f"the city received sighting {STAFF}"
    ),
    "staff seen by the handheld": Fault(
        also("handheld", SIGHTING, STAFF), f"the handheld received sighting {STAFF}"
    ),
    "a copy at the log": Fault(twice("log", SIGHTING), "2 times"),
    "a copy at the doors": Fault(twice("doors", OPEN), "2 times"),
    "a copy at a desk": Fault(twice(f"desk-{ROOM}", MAIL), "2 times"),
    "a copy at the city": Fault(twice("city", SIGHTING), "2 times"),
}


def findings(verdict: Verdict) -> list[str]:
    return [text for each in verdict.promises for text in each.findings]


def test_a_good_run_passes() -> None:
    verdict = judged(TOLD, good())
    assert verdict.passed, list(table(verdict))
    assert list(table(verdict))[-1] == "passed"


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named(name: str) -> None:
    records = good()
    FAULTS[name].plant(records)
    verdict = judged(TOLD, records)
    assert not verdict.passed
    assert any(FAULTS[name].expected in each for each in findings(verdict)), findings(verdict)
    assert list(table(verdict))[-1] == "FAILED"


def test_nothing_received_is_no_success() -> None:
    assert not judged(TOLD, []).passed
    assert not judged(walking.tell(1, 1, 1.0), []).passed


def test_what_came_before_the_walk_does_not_count() -> None:
    before = Record(at(-1), "received", "doors", OPEN, -1, "net1")
    assert judged(TOLD, [before, before, *good()]).passed


def outage(name: str, step: float) -> Outage:
    return Outage(name, BEGUN_S + step - 0.5, BEGUN_S + step + 0.5, int(step))


@pytest.mark.parametrize("name", ["g-city", "g-city.city", "bus-{room}"])
def test_a_best_effort_loss_within_an_outage_on_its_path_is_excused(name: str) -> None:
    records = good()
    gone = find(records, "city", SIGHTING)
    records.remove(gone)
    seen = TOLD.sightings[gone.number]
    verdict = judged(TOLD, records, [outage(name.format(room=seen.room), seen.step)])
    assert verdict.passed, findings(verdict)
    assert sum(each.excused for each in verdict.promises) == 1


@pytest.mark.parametrize(
    ("name", "after"), [("g-air", 0.0), ("naming", 0.0), ("policy", 0.0), ("g-city", 5.0)]
)
def test_a_best_effort_loss_is_not_excused_by_another_path_or_a_later_outage(
    name: str, after: float
) -> None:
    records = good()
    gone = find(records, "city", SIGHTING)
    records.remove(gone)
    step = TOLD.sightings[gone.number].step + after
    assert not judged(TOLD, records, [outage(name, step)]).passed


def test_a_persistent_loss_is_excused_by_nothing() -> None:
    records = good()
    gone = find(records, "log", SIGHTING)
    records.remove(gone)
    room = TOLD.sightings[gone.number].room
    away = [outage(each, 0) for each in (f"bus-{room}", "bus-office", "policy", "naming")]
    assert "the log did not receive" in findings(judged(TOLD, records, away))[0]


def test_a_service_that_was_not_restarted_is_named() -> None:
    told = msgspec.structs.replace(TOLD, restarts=(Restart(3, "policy"), Restart(9, "naming")))
    found = findings(judged(told, good(), [outage("policy", 3)]))
    assert found == ["naming was not restarted, or did not come back"]
    assert judged(told, good(), [outage("policy", 3), outage("naming", 9)]).passed
