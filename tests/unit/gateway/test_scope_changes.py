"""Changes of scopes while gateways run: ordered by one, applied by all, kept in the journal."""

import fes.gateway.scopes.administration as administration_module
import pytest
from fes.federation.scopes.change import Change
from fes.gateway.inputs import LinkUp
from fes.model import Event, Stamp, binary
from fes.model.attributes import RELIABILITY, START_TIME
from support.gateways.cores import SECOND, heard
from support.scopes.federated import FILE, Federated, joins, leaves, scope

QUOTE = Event.of("Quote", price=4.0)


def _subscribed(text: str = FILE) -> Federated:
    federated = Federated(text)
    federated.wait(3)
    for at, name in enumerate(("north", "middle", "south")):
        federated.subscribe(name, at + 1, "g2" if name == "south" else "g1")
    federated.wait(2)
    return federated


def test_a_change_is_applied_by_all_and_each_acknowledges_it() -> None:
    federated = _subscribed()
    assert federated.publish("north", 1, QUOTE, "g1") == ["middle"]
    assert federated.change(joins("south", "market")) == []
    assert federated.generations() == {"g1": 1, "g2": 1}
    federated.wait(2)
    for core in federated.cores.values():
        roster = core.gossip.presence.roster
        assert {name: roster.get(name).scopes for name in ("g1", "g2")} == {"g1": 1, "g2": 1}
    assert sorted(federated.publish("north", 2, QUOTE, "g1")) == ["middle", "south"]


def test_a_change_is_kept_over_a_restart() -> None:
    federated = _subscribed()
    federated.change(joins("south", "market"))
    for name in ("g1", "g2"):
        federated.kill(name)
    for name in ("g1", "g2"):
        federated.start(name)
    assert federated.generations() == {"g1": 1, "g2": 1}
    federated.wait(3)
    assert sorted(federated.publish("north", 1, QUOTE, "g1")) == ["middle", "south"]


def test_a_gateway_that_was_away_catches_up() -> None:
    federated = _subscribed()
    federated.kill("g2")
    federated.change(joins("south", "market"))
    for at in range(300):
        federated.change(scope(f"s{at}", input=[f"n > {at}"] * 20))
    federated.start("g2")
    federated.wait(60)
    assert federated.generations() == {"g1": 301, "g2": 301}
    assert sorted(federated.publish("north", 1, QUOTE, "g1")) == ["middle", "south"]


def test_a_gateway_that_receives_changes_after_a_gap_applies_none_of_them() -> None:
    federated = _subscribed()
    federated.deaf.add("g2")
    federated.change(scope("first"))
    federated.deaf.clear()
    federated.change(scope("second"))
    assert federated.generations()["g2"] in (0, 2)
    federated.wait(3)
    assert federated.generations() == {"g1": 2, "g2": 2}


def test_two_changes_at_once_make_no_cycle() -> None:
    federated = _subscribed()
    for name in ("left", "right"):
        assert federated.change(scope(name)) == []
    assert federated.change(joins("left", "right")) == []
    (refused,) = federated.change(joins("right", "left"))
    assert refused == "scopes: cycle: right -> left -> right"
    assert set(federated.generations().values()) == {3}


def test_another_gateway_refuses_and_names_the_one_that_orders() -> None:
    federated = _subscribed()
    assert federated.change(scope("s"), at="g2") == ["scopes: g1 orders changes of scopes"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (joins("nobody", "market"), "unknown component or scope: nobody"),
        (leaves("south", "market"), "south is not a member of market"),
        (joins("south", "market", input=["n >"]), "input.0: "),
        (scope("s", publishing={"choose": {"market": ""}}), "market is not a direct superscope"),
        (joins("south", "north"), "north is a simple component"),
    ],
)
def test_a_change_that_the_scopes_do_not_admit_is_refused(change: Change, reason: str) -> None:
    federated = _subscribed()
    (line,) = federated.change(change)
    assert reason in line
    assert set(federated.generations().values()) == {0}


def test_a_mapping_that_no_gateway_could_manage_is_refused() -> None:
    federated = _subscribed()
    federated.change(joins("south", "market"))
    (line,) = federated.change(joins("north", "market", up=[{"set": {"n": 1}}]))
    assert line.startswith("scopes: no gateway is attached to all of north, middle, south")
    assert federated.change(leaves("south", "market")) == []
    assert federated.change(joins("north", "market", up=[{"set": {"n": 1}}])) == []
    assert federated.cores["g1"].scopes.manages
    assert federated.cores["g2"].scopes.manager == "g1"
    assert federated.publish("north", 1, QUOTE, "g1") == ["middle"]
    assert federated.published[0][1].parameter("n") == 1


def test_an_interface_that_changes_narrows_what_is_requested_at_the_source() -> None:
    federated = _subscribed()
    assert "Quote" not in federated.cores["g1"].applied("north")[0].filter
    federated.change(joins("north", "market", output=["subject = 'Quote'"]))
    (applied,) = federated.cores["g1"].applied("north")
    assert "Quote" in applied.filter
    assert federated.publish("north", 1, Event.of("Noise"), "g1") == []
    assert federated.publish("north", 2, QUOTE, "g1") == ["middle"]


def test_a_membership_that_is_withdrawn_stops_events_at_once() -> None:
    federated = _subscribed()
    federated.change(joins("south", "market"))
    federated.wait(2)
    assert sorted(federated.publish("north", 1, QUOTE, "g1")) == ["middle", "south"]
    federated.change(leaves("south", "market"))
    assert federated.publish("north", 2, QUOTE, "g1") == ["middle"]


@pytest.mark.parametrize("kept", [False, True])
def test_a_membership_that_is_withdrawn_stops_what_waits(*, kept: bool) -> None:
    federated = Federated()
    federated.subscribe("middle", 1, "g1")
    for service in ("north", "middle"):
        federated.handle("g1", LinkUp(persistent=kept), service)
    starts_us = federated.now.time_us + 2 * SECOND
    values = {START_TIME: "1970-01-01T00:16:42Z", RELIABILITY: int(kept)}
    numbers = tuple(each.number for each in federated.cores["g1"].applied("north"))
    native = heard(
        numbers,
        body=binary.encode(QUOTE.with_attributes(values)),
        subject="Quote",
        persistent=kept,
        token=int(kept),
        starts_us=starts_us,
    )
    federated.handle("g1", native, "north")
    assert federated.change(leaves("middle", "market")) == []
    federated.wait(4)
    assert federated.published == []
    reasons = [each.reason for _, each in federated.decisions if each.decision == "dropped"]
    assert reasons.count("scopes: the membership was withdrawn") == 1
    assert len(federated.cores["g1"].delivery.custody) == 0


def test_an_event_in_transit_stops_where_its_membership_was_withdrawn() -> None:
    federated = _subscribed()
    federated.change(joins("south", "market"))
    federated.wait(2)
    older = dict(federated.rows["g1"])
    federated.change(leaves("south", "market"))
    federated.wait(2)
    federated.kill("g1")
    federated.rows["g1"] = older  # g1 does not know of the withdrawal, g2 does
    federated.deaf.add("g1")
    federated.start("g1")
    federated.deaf.clear()
    found = federated.publish("north", 5, QUOTE, "g1")
    assert "south" not in found
    reasons = [each.reason for name, each in federated.decisions if name == "g2"]
    assert "scopes: the membership was withdrawn" in reasons


def test_what_waits_for_a_scope_that_ends_is_released() -> None:
    federated = _subscribed()
    waiting = {"publishing": {"delay_s": 900.0}}
    for change in (
        scope("floor", **waiting),
        joins("floor", "market"),
        joins("north", "floor"),
        leaves("north", "market"),
    ):
        assert federated.change(change) == []
    assert federated.publish("north", 1, QUOTE, "g1") == []
    federated.published.clear()
    federated.change(Change(0, "floor"))
    assert federated.published == [("middle", QUOTE)]


def test_more_changes_than_there_is_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(administration_module, "MAX_CHANGES", 1)
    federated = _subscribed()
    assert federated.change(scope("a")) == []
    (line,) = federated.change(scope("b"))
    assert line.startswith("scopes: 1 changes were made: state them in the federation file")


def test_whoever_joined_after_an_event_was_published_does_not_receive_it() -> None:
    federated = _subscribed()
    before = federated.now
    federated.wait(1)
    federated.change(joins("south", "market"))
    federated.wait(2)
    federated.published.clear()
    core = federated.cores["g1"]
    numbers = tuple(each.number for each in core.applied("north"))
    stamp = Stamp("client", 1, 1, before.time_us, "north")
    body = binary.encode(QUOTE)
    federated.handle("g1", heard(numbers, stamp=stamp, body=body, subject="Quote"), "north")
    federated.settle()
    assert [name for name, _ in federated.published] == ["middle"]
    reasons = [each.reason for name, each in federated.decisions if name == "g2"]
    assert "scopes: its destination joined after it was published" in reasons


def test_whoever_left_and_joined_again_is_known_to_have_over_a_restart() -> None:
    federated = _subscribed(FILE.replace("members: {north: {}", "members: {south: {}, north: {}"))
    federated.change(leaves("south", "market"))
    before = federated.now
    federated.wait(1)
    federated.change(joins("south", "market"))
    federated.wait(2)
    federated.kill("g2")
    federated.start("g2")
    federated.wait(2)
    federated.published.clear()
    numbers = tuple(each.number for each in federated.cores["g1"].applied("north"))
    stamp = Stamp("client", 1, 1, before.time_us, "north")
    native = heard(numbers, stamp=stamp, body=binary.encode(QUOTE), subject="Quote")
    federated.handle("g1", native, "north")
    federated.settle()

    assert [name for name, _ in federated.published] == ["middle"]
