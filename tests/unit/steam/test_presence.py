from dataclasses import dataclass

from eventservices.steam import Announcement, Membership, Position, Sender, Term, around
from eventservices.steam.presence import MISSED_BEACONS, Beacon, Presence

PERIOD_S = 2.0


@dataclass(frozen=True)
class Said:
    node: str = "v"
    subject: str = "Speed"
    radius_m: float = 300.0
    present: bool = True

    def beacon(self) -> Announcement:
        sender, here = Sender(self.node, "", 300.0), Position(50.0, 11.0)
        area = around(self.radius_m)
        return Announcement(sender, self.subject, here, 0, PERIOD_S, self.present, area)


def membership(number: int = 1, *terms: Term) -> Membership:
    sender, here = Sender("v", "", 300.0), Position(50.0, 11.0)
    return Membership(sender, "Speed", here, 0, PERIOD_S, True, number, terms)


def presence(limit: int = 10) -> Presence[Beacon]:
    return Presence(limit)


def test_the_first_beacon_begins_and_the_next_confirms() -> None:
    seen = presence()
    assert seen.take(Said().beacon(), 0.0) == "began"
    assert seen.take(Said().beacon(), 2.0) is None


def test_node_and_subject_tell_announcements_apart() -> None:
    seen = presence()
    told = [Said(), Said("w"), Said(subject="Ice"), Said(subject="speed")]
    assert [seen.take(one.beacon(), 0.0) for one in told] == ["began"] * 4


def test_an_announcement_and_a_membership_of_one_node_are_two() -> None:
    seen = presence()
    assert seen.take(Said().beacon(), 0.0) == "began"
    assert seen.take(membership(), 0.0) == "began"
    assert seen.take(membership(2), 0.0) == "began"
    assert len(seen.beacons) == 3


def test_another_area_and_another_filter_are_changes() -> None:
    seen = presence()
    seen.take(Said().beacon(), 0.0)
    seen.take(membership(), 0.0)
    assert seen.take(Said(radius_m=200.0).beacon(), 0.0) == "changed"
    assert seen.take(membership(1, Term("rate", ">", 1)), 0.0) == "changed"
    assert seen.take(Said(radius_m=200.0).beacon(), 0.0) is None


def test_a_farewell_ends_what_was_known_only() -> None:
    seen = presence()
    assert seen.take(Said(present=False).beacon(), 0.0) is None
    seen.take(Said().beacon(), 0.0)
    assert seen.take(Said(present=False).beacon(), 0.0) == "ended"
    assert seen.take(Said(present=False).beacon(), 0.0) is None
    assert seen.beacons == []


def test_who_misses_too_many_beacons_is_forgotten() -> None:
    seen, end_s = presence(), MISSED_BEACONS * PERIOD_S
    seen.take(Said("v").beacon(), 0.0)
    seen.take(Said("w").beacon(), 1.0)
    assert seen.expire(end_s, attentive=True) == []
    assert [one.sender.node for one in seen.expire(end_s + 0.5, attentive=True)] == ["v"]
    assert seen.take(Said("v").beacon(), end_s + 0.6) == "began"


def test_nobody_is_forgotten_while_nobody_could_be_heard() -> None:
    seen = presence()
    seen.take(Said().beacon(), 0.0)
    assert seen.expire(100.0, attentive=False) == []
    assert seen.expire(100.0 + MISSED_BEACONS * PERIOD_S, attentive=True) == []
    assert len(seen.expire(101.0 + MISSED_BEACONS * PERIOD_S, attentive=True)) == 1


def test_what_there_is_no_room_for_is_counted_and_taken_when_there_is() -> None:
    seen = presence(1)
    seen.take(Said("v").beacon(), 0.0)
    assert seen.take(Said("w").beacon(), 0.0) is None
    assert seen.take(Said("v").beacon(), 0.0) is None
    assert seen.not_kept == 1
    seen.take(Said("v", present=False).beacon(), 0.0)
    assert seen.take(Said("w").beacon(), 2.0) == "began"
