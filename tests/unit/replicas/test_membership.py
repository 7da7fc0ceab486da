"""Who lives and who leads, among the replicas of a gateway."""

from dataclasses import dataclass, field

import msgspec
import pytest
from fes_gateway.replicas.membership import HEARTBEAT, NUMBERS, VIEW, Membership, View, write_view

HEARTBEAT_S = 0.5
WALL_US = 10**15


@dataclass
class Town:
    """Replicas that see at once what any of them appends.

    Attributes:
        now_s: The clock of all.
        members: Those that live.
    """

    now_s: float = 100.0
    members: dict[str, Membership] = field(default_factory=dict)
    state: dict[str, bytes] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Have a replica start: it leads where nobody does."""
        one = self.members[name] = Membership(name, int(self.now_s * 1e6), HEARTBEAT_S)
        one.take(self.state, self.now_s)
        if one.view is None or one.leads:
            self.append(*write_view(one.takeover(WALL_US)))
        self.append(*one.heartbeat(0))

    def append(self, key: str, value: bytes | None) -> None:
        """Have something be committed."""
        if value is None:
            self.state.pop(key, None)
        else:
            self.state[key] = value
        for one in self.members.values():
            one.take({key: value}, self.now_s)

    def turn(self, *silent: str) -> None:
        """Let a heartbeat pass; those that are silent stand still."""
        self.now_s += HEARTBEAT_S
        for name, one in self.members.items():
            if name in silent:
                continue
            self.append(*one.heartbeat(int(self.now_s)))
            view = one.proposal(self.now_s, WALL_US)
            if view is not None:
                self.append(*write_view(view))

    @property
    def view(self) -> View:
        """The view that holds."""
        (view,) = {one.view for one in self.members.values()}
        assert view is not None
        return view


def town(*names: str) -> Town:
    found = Town()
    for name in names:
        found.start(name)
    for _ in range(2):
        found.turn()
    return found


def test_the_first_leads_and_takes_the_others_in() -> None:
    """Rule M1."""
    one = town("b", "a", "c")
    assert (one.view.leader, one.view.members) == ("b", ("a", "b", "c"))


def test_whose_heartbeats_cease_is_no_member() -> None:
    """Rule M2."""
    one = town("a", "b", "c")
    before = one.view.number
    del one.members["c"]
    for _ in range(5):
        one.turn()
    assert (one.view.leader, one.view.members) == ("a", ("a", "b"))
    assert one.view.number == before + 1
    one.start("c")
    one.turn()
    assert one.view.members == ("a", "b", "c")


def test_where_the_leader_is_gone_one_other_takes_over() -> None:
    """Rule M3."""
    one = town("a", "b", "c")
    before = one.view
    del one.members["a"]
    for _ in range(6):
        one.turn()
    assert (one.view.leader, one.view.members) == ("b", ("b", "c"))
    assert one.view.number > before.number
    assert one.view.base >= before.base + NUMBERS


def test_who_comes_later_in_the_order_of_names_gives_the_others_a_heartbeat_each() -> None:
    one = town("a", "b", "c")
    del one.members["a"]
    one.now_s += 4 * HEARTBEAT_S
    for name in ("b", "c"):
        one.append(*one.members[name].heartbeat(0))
    assert one.members["b"].proposal(one.now_s, WALL_US) is not None
    assert one.members["c"].proposal(one.now_s, WALL_US) is None
    assert one.members["c"].proposal(one.now_s + HEARTBEAT_S, WALL_US) is not None


def test_a_leader_that_stood_still_finds_that_another_leads() -> None:
    """Rule M4."""
    one = town("a", "b")
    for _ in range(6):
        one.turn("a")
    assert one.view.leader == "b"
    for _ in range(3):
        one.turn()
    assert (one.view.leader, one.view.members) == ("b", ("a", "b"))


def test_one_that_stood_still_and_has_caught_up_does_not_take_over() -> None:
    one = town("a", "b", "c")
    for _ in range(20):
        one.turn("b")
    one.append(*one.members["a"].heartbeat(0))
    assert one.members["b"].proposal(one.now_s, WALL_US) is None


def test_a_leader_that_is_started_again_leads_anew_with_larger_numbers() -> None:
    """Rule M5."""
    one = town("a", "b")
    before = one.view
    one.start("a")
    assert (one.view.leader, one.view.members) == ("a", ("a", "b"))
    assert (one.view.number, one.view.base) > (before.number, before.base)


def test_a_clock_that_went_back_makes_no_number_come_again() -> None:
    one = town("a", "b")
    view = one.members["b"].takeover(5)
    assert view.base == one.view.base + NUMBERS


def test_who_leaves_hands_the_lead_over_at_once() -> None:
    """Rule M6."""
    one = town("a", "b", "c")
    view = one.members["a"].farewell(one.now_s, WALL_US)
    assert view is not None
    assert (view.leader, view.members, view.number) == ("b", ("b", "c"), one.view.number + 1)
    assert one.members["b"].farewell(one.now_s, WALL_US) is None


def test_the_last_keeps_the_lead() -> None:
    one = town("a")
    assert one.members["a"].farewell(one.now_s, WALL_US) is None


def test_who_says_that_it_leaves_is_missed_at_once() -> None:
    one = town("a", "b")
    gone = one.members.pop("b")
    one.append(HEARTBEAT + gone.name, None)
    one.turn()
    assert one.view.members == ("a",)


def test_what_all_know_is_what_the_slowest_knows() -> None:
    one = town("a", "b", "c")
    for name, seen in {"a": 9, "b": 7, "c": 8}.items():
        one.append(*one.members[name].heartbeat(seen))
    assert one.members["a"].seen == 7
    assert one.members["b"].seen == 8
    assert town("a").members["a"].seen > 10**9


def test_an_older_view_changes_nothing() -> None:
    one = town("a", "b")
    before = one.view
    for member in one.members.values():
        assert not member.take(dict([write_view(View(1, "x", ("x",), 0))]), one.now_s)
    assert one.view == before


@pytest.mark.parametrize("key", [VIEW, HEARTBEAT + "a"])
def test_what_is_no_view_and_no_heartbeat_is_an_error(key: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        Membership("a", 0, HEARTBEAT_S).take({key: b"\xc1"}, 0.0)


def test_a_heartbeat_that_cannot_be_read_hides_nobody_else() -> None:
    one = town("a", "b", "c")
    state = {f"{HEARTBEAT}a": b"\xc1", **one.state}
    state[f"{HEARTBEAT}a"] = b"\xc1"
    late = Membership("d", 1, HEARTBEAT_S)
    with pytest.raises(msgspec.DecodeError):
        late.take(state, one.now_s)
    assert late.view == one.view
