"""Promises about mail: it follows its owner, in full to desks, as headlines to a handheld."""

from typing import Final

from building_walk.judge.evidence import Evidence, Key
from building_walk.judge.promise import Promise
from building_walk.story import HANDHELD, LIFETIME_S, MAIL, OFFICE, PRINTER, SIGHTING, Record, Story

SETTLE_S: Final = 2.5
"""How long after somebody came in the mail has to follow at the latest."""

STALE_S: Final = 2.0
"""How long after somebody left the mail may still come to the room."""

LATE_S: Final = 1.0
"""How late a bus may store a sighting at the most, so that it counts where somebody was."""

HANDHELDS_OWNER: Final = "ann"


def judge_desks(story: Story, evidence: Evidence, follows: Promise, elsewhere: Promise) -> None:
    """Judge what desks received."""
    seen = _seen(story, evidence)
    for number, mail in enumerate(story.mails):
        key = (MAIL, number)
        published = evidence.published.get(key)
        if published is None:
            continue
        room = _settled(seen[mail.owner], published)
        if room is not None:
            _follows(evidence, follows, key, room, published, mail.body(number))
    for room, received in evidence.desks.items():
        for (_, number), records in received.items():
            elsewhere.count()
            if not _may_be(story, evidence, seen, room, number, records[0]):
                elsewhere.finding(f"mail {number} came to the desk of {room}")


def judge_handheld(story: Story, evidence: Evidence, promise: Promise) -> None:
    """Judge what the handheld received of mail."""
    received = evidence.received[HANDHELD]
    path = (f"bus-{OFFICE}", "g-air", "policy")
    for number, mail in enumerate(story.mails):
        key = (MAIL, number)
        records = received.get(key, [])
        if mail.owner != HANDHELDS_OWNER:
            if records:
                promise.finding(f"the handheld received mail {number}, of {mail.owner}")
            continue
        promise.due(evidence, key, "the handheld", path, received=bool(records))
        for record in records:
            if record.body:
                promise.finding(f"the handheld received all of mail {number}")
            if record.headline != mail.headline(number):
                promise.finding(f"the handheld received {record.headline!r} of mail {number}")


def judge_printer(evidence: Evidence, promise: Promise) -> None:
    """Judge that the printer was refused, and received nothing."""
    refused = [each for each in evidence.refused if each.client == PRINTER]
    promise.count(len(refused))
    if not refused:
        promise.finding("the printer was never refused")
    for event, number in evidence.received[PRINTER]:
        promise.finding(f"the printer received {event} {number}")


Seen = list[tuple[float, float, str]]
"""When somebody was seen: due, stored at the bus, and in which room; in the order of the first."""


def _seen(story: Story, evidence: Evidence) -> dict[str, Seen]:
    found: dict[str, Seen] = {name: [] for name in story.people}
    for number, each in enumerate(story.sightings):
        record = evidence.published.get((SIGHTING, number))
        if record is not None:
            found[each.person].append((record.due_s, record.s, each.room))
    return found


def _settled(seen: Seen, published: Record) -> str | None:
    """Return the room that the owner had been in for long enough, and stayed in; None for none."""
    from_s, until_s = published.due_s - SETTLE_S, published.s + SETTLE_S
    before = [each for each in seen if each[0] <= from_s]
    within = [each for each in seen if from_s < each[0] <= until_s]
    after = [each for each in seen if each[0] > until_s]
    rooms = {room for *_, room in (*before[-1:], *within)}
    # A bus that was away makes sightings late: then nobody knew where the owner was.
    late = any(stored_s - due_s > LATE_S for due_s, stored_s, _ in (*before[-1:], *within))
    return rooms.pop() if before and after and len(rooms) == 1 and not late else None


def _follows(
    evidence: Evidence, promise: Promise, key: Key, room: str, published: Record, body: str
) -> None:
    records = evidence.desks.get(room, {}).get(key, [])
    away = evidence.was_away(("policy", f"bus-{room}"), published.due_s - SETTLE_S, published.s)
    promise.count()
    if not records:
        promise.missing(f"mail {key[1]} did not come to the desk of {room}", excused=away)
    for record in records:
        if record.body != body:
            promise.finding(f"the desk of {room} received {record.body!r} of mail {key[1]}")


def _may_be(
    story: Story,
    evidence: Evidence,
    seen: dict[str, Seen],
    room: str,
    number: int,
    record: Record,
) -> bool:
    """Return whether the owner was in the room about when the mail was published."""
    published = evidence.published.get((MAIL, number))
    if published is None or number >= len(story.mails):
        return False
    stale_s = STALE_S
    if evidence.was_away(("policy",), published.due_s - LIFETIME_S, record.s):
        stale_s += LIFETIME_S  # decisions outlive the service so long
    owner = seen[story.mails[number].owner]
    return any(
        each == room
        and _left(owner, at) + stale_s >= published.due_s
        and due_s <= max(published.s, record.s)
        for at, (due_s, _, each) in enumerate(owner)
    )


def _left(seen: Seen, at: int) -> float:
    """Return until when a sighting counts: the next one of the same badge is stored."""
    return seen[at + 1][1] if at + 1 < len(seen) else seen[at][1]
