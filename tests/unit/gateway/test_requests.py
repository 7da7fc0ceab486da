"""Requests at one gateway: what enters, what is applied, what is passed on."""

from itertools import permutations
from typing import Any

import pytest
from fes.control import RequestType, from_event
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.inputs import Inject, LinkUp, Tick
from fes.gateway.outputs import Decided, PutRow
from fes.gateway.replication import is_request
from fes.gateway.settings import Instant
from fes.link.messages import Announce, Desired, Done, PublishControl, Subscribe, Unsubscribe
from fes.model import Event, binary
from support.gateways.cores import NOW, SECOND, core_of, heard, inject, orders, request, say

SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


def subscribed(core: GatewayCore, service: str = "north") -> list[str]:
    return [applied.filter for applied in core.applied(service)]


def test_a_subscription_is_applied_where_its_list_says_and_passed_on() -> None:
    """Rule T8."""
    core = core_of("north", "south")

    _, outputs = core.handle(Inject(request()), NOW)

    assert [type(order) for order in orders(outputs, "north")] == [Subscribe, PublishControl]
    assert [type(order) for order in orders(outputs, "south")] == [PublishControl]
    onward = orders(outputs, "south")[0]
    assert isinstance(onward, PublishControl)
    told = from_event(binary.decode(onward.body), None)
    assert told.path == ("south",)
    assert told.filter == "subject = 'Speed' AND rate > 30"
    assert told.stamp == request().stamp


def test_a_subscription_is_never_applied_at_its_own_source() -> None:
    """Rule T2."""
    core = core_of("north", "south")

    inject(core, request(dist_list="*"))

    assert subscribed(core, "north")
    assert not subscribed(core, "south")


def test_the_same_filter_written_differently_is_the_same_request() -> None:
    """Rule T3."""
    core = core_of("north", "south")
    inject(core, request())
    inject(core, request(filter="(rate>30) and SUBJECT='Speed'", requester="other", sequence=2))

    assert len(subscribed(core)) == 1
    inject(core, request(UNSUB, filter="rate > 30 AND (subject = 'Speed')", sequence=3))
    assert len(subscribed(core)) == 1, "one client's unsubscription never removes another's"
    inject(core, request(UNSUB, requester="other", sequence=4))
    assert not subscribed(core)


def test_a_request_that_is_not_newer_changes_nothing() -> None:
    """Rule T1."""
    core = core_of("north", "south")
    inject(core, request(UNSUB, version=NOW.wall_us + 5))

    decisions = say(core, request(version=NOW.wall_us, path=("south",)), "south")

    assert [(d.decision, d.reason) for d in decisions] == [("suppressed", "not newer")]
    assert not subscribed(core)


@pytest.mark.parametrize("first", [SUB, UNSUB])
@pytest.mark.parametrize("numbers", [(2, 1), (1, 2)])
def test_of_equal_versions_a_withdrawal_wins_whichever_comes_first(
    first: RequestType, numbers: tuple[int, int]
) -> None:
    core = core_of("north", "south")
    second = UNSUB if first is SUB else SUB

    for kind, number in zip((first, second), numbers, strict=True):
        inject(core, request(kind, version=7, sequence=number))

    assert not subscribed(core)
    assert [row.withdrawn for row in core.table.rows()] == [True]


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1)])
def test_of_equal_versions_the_larger_request_id_wins(numbers: tuple[int, int]) -> None:
    core = core_of("north", "south")

    for number in numbers:
        inject(core, request(version=7, sequence=number))

    assert [row.request.sequence for row in core.table.rows()] == [2]


def test_a_hole_in_a_wildcard_stays_a_hole() -> None:
    core = core_of("north", "south", "east")
    inject(core, request(dist_list="*", version=1))
    inject(core, request(UNSUB, dist_list="north", version=2, sequence=2))

    assert not subscribed(core, "north")
    assert subscribed(core, "east")
    core.handle(Tick(), Instant(NOW.wall_us + 2 * 3_600 * SECOND, 0))
    assert not subscribed(core, "north")


def test_a_changed_limit_is_subscribed_before_the_old_one_is_withdrawn() -> None:
    """Rule T4."""
    core = core_of("north", "south")
    inject(core, request(version=1))

    _, added = core.handle(
        Inject(request(filter="subject = 'Speed' AND rate > 50", version=2, sequence=2)), NOW
    )
    _, removed = core.handle(Inject(request(UNSUB, version=3, sequence=3)), NOW)

    assert any(isinstance(order, Subscribe) for order in orders(added, "north"))
    assert any(isinstance(order, Unsubscribe) for order in orders(removed, "north"))
    assert subscribed(core) == ["subject = 'Speed' AND rate > 50"]


def test_a_lease_that_is_not_renewed_runs_out() -> None:
    """Rule T5."""
    core = core_of("north", "south")
    inject(core, request(expires_us=NOW.wall_us + 10 * SECOND, version=1))
    inject(core, request(expires_us=NOW.wall_us + 30 * SECOND, version=2, sequence=2))

    core.handle(Tick(), Instant(NOW.wall_us + 20 * SECOND, 0))
    assert subscribed(core)
    mutations, outputs = core.handle(Tick(), Instant(NOW.wall_us + 31 * SECOND, 0))

    assert not subscribed(core)
    assert mutations
    assert [type(order) for order in orders(outputs, "north")] == [Unsubscribe]


def test_a_withdrawal_is_forgotten_after_the_horizon() -> None:
    """Rule T6."""
    topology = Topology((("g1", "north"), ("g1", "south")))
    core = core_of("north", "south", horizon_us=60 * SECOND, topology=topology)
    inject(core, request())
    inject(core, request(UNSUB, sequence=2))

    core.handle(Tick(), Instant(NOW.wall_us + 74 * SECOND, 0))
    assert len(core.table) == 1
    core.handle(Tick(), Instant(NOW.wall_us + 76 * SECOND, 0))

    assert len(core.table) == 0


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"system": "another"}, "FES_System"),
        ({"source": "nowhere"}, "Source"),
        ({"dist_list": ""}, "DistList"),
        ({"dist_list": ",".join(["north"] * 65)}, "DistList"),
        ({"filter": "rate >"}, "Filter"),
        ({"version": NOW.wall_us + 25 * 3_600 * SECOND}, "FES_Version"),
        ({"version": -1}, "FES_Version"),
        ({"expires_us": 2**62}, "FES_Expires"),
        ({"requester": "x" * 513}, "FES_Requester"),
    ],
)
def test_a_bad_request_is_refused_with_its_place(changes: dict[str, Any], place: str) -> None:
    """Rule E1."""
    core = core_of("north", "south")

    decisions = inject(core, request(**changes))

    assert [decision.decision for decision in decisions] == ["refused"]
    assert place in decisions[0].reason
    assert [step.decision for step in core.outcomes.get("client/1/1") or ()] == ["refused"]
    assert len(core.table) == 0


def test_a_client_cannot_speak_for_another_event_service() -> None:
    core = core_of("north", "south")

    refused = say(core, request(source="south"), "north")
    taken = say(core, request(source="north", dist_list="south", sequence=2), "north")

    assert "cannot speak for" in refused[0].reason
    assert taken[0].decision == "received"


def test_control_events_enter_only_where_they_may() -> None:
    core = core_of(
        "north",
        "south",
        adapters={
            "north": AdapterSettings("g1.north", "north", accept=frozenset(), relay=False),
            "south": AdapterSettings("g1.south", "south"),
        },
    )

    refused = say(core, request(source="north", dist_list="south"), "north")
    _, outputs = core.handle(Inject(request(sequence=2)), NOW)

    assert "not accepted at north" in refused[0].reason
    assert [type(order) for order in orders(outputs, "north")] == [Subscribe]


def test_a_full_request_table_refuses_and_says_so() -> None:
    core = core_of("north", "south", max_requests=2)
    for number in range(3):
        decisions = inject(core, request(filter=f"rate > {number}", sequence=number + 1))

    assert decisions[0].decision == "refused"
    assert "full" in decisions[0].reason
    assert len(core.table) == 2


def test_a_malformed_control_event_is_refused() -> None:
    core = core_of("north", "south")
    from fes.link.messages import HeardControl  # noqa: PLC0415 - beside its only use

    for body in (b"\xff", binary.encode(Event.of("FES_ControlEvent", Type=7))):
        _, outputs = core.handle(HeardControl(None, body), NOW, "north")
        assert [each.decision for each in outputs if isinstance(each, Decided)] == ["refused"]


def test_an_adapter_that_comes_back_gets_the_whole_desired_state() -> None:
    core = core_of("north", "south")
    inject(core, request())
    inject(core, request(RequestType.ANNOUNCEMENT, sequence=2))

    _, outputs = core.handle(LinkUp(), NOW, "north")

    (desired,) = orders(outputs, "north")
    assert isinstance(desired, Desired)
    assert [sub.filter for sub in desired.subscriptions] == ["subject = 'Speed' AND rate > 30"]
    assert [binary.decode(ann.body).subject for ann in desired.announcements] == ["Speed"]


def test_what_the_journal_gives_back_is_applied_again() -> None:
    """Rule T10."""
    core = core_of("north", "south")
    mutations, _ = core.handle(Inject(request()), NOW)
    rows = {each.key: each.value for each in mutations if isinstance(each, PutRow)}

    again = GatewayCore(core.settings, rows)

    assert subscribed(again) == subscribed(core)
    assert list(again.table.rows()) == list(core.table.rows())


@pytest.mark.parametrize("patterns", list(permutations(("north", "n*", "*"))))
def test_what_is_kept_of_a_request_does_not_depend_on_the_order_of_its_patterns(
    patterns: tuple[str, ...],
) -> None:
    """Rule T17."""
    cores = [core_of("north", "south") for _ in range(2)]
    for core, names in zip(cores, (patterns, ("north", "n*", "*")), strict=True):
        for name in names:
            inject(core, request(dist_list=name, version=1))

    one, other = (core.table for core in cores)
    assert one.digest == other.digest
    assert {row.pattern for row in one.rows()} == {"north", "n*", "*"}


def test_the_journal_gives_back_every_pattern_of_a_request_in_whatever_order() -> None:
    core = core_of("north", "south")
    rows: dict[str, bytes] = {}
    for version, dist_list in ((1, "n*"), (2, "north,n*")):
        asked = request(dist_list=dist_list, version=version, sequence=version)
        mutations, _ = core.handle(Inject(asked), NOW)
        rows |= {each.key: each.value for each in mutations if isinstance(each, PutRow)}

    again = GatewayCore(core.settings, rows)

    assert again.table.digest == core.table.digest
    assert len(again.table) == len(list(filter(is_request, rows)))


def test_patterns_that_take_the_place_of_one_do_not_pass_the_limit_of_the_table() -> None:
    core = core_of("north", "south", max_requests=3)
    inject(core, request(version=1))

    many = request(dist_list="n*,*h,no*,*th", version=2, sequence=2)
    assert [each.decision for each in inject(core, many)] == ["refused"]
    inject(core, request(dist_list="n*,*h,no*", version=3, sequence=3))
    assert len(core.table) == 3

    inject(core, request(UNSUB, dist_list="*", version=4, sequence=4))
    assert [row.withdrawn for row in core.table.rows()] == [True], "it takes the place of all"


def test_what_an_adapter_did_is_told_to_those_who_ask() -> None:
    core = core_of("north", "south")
    inject(core, request())
    number = core.applied("north")[0].number

    core.handle(Done(number, widened=("rate",)), NOW, "north")

    steps = core.outcomes.get("client/1/1")
    assert steps is not None
    assert ("applied", "north", "rate") in [step[:3] for step in steps]
    assert core.applied("north")[0].state == "applied"


def test_equal_inputs_give_equal_outputs() -> None:
    def run() -> list[object]:
        core = core_of("north", "south", "east")
        found: list[object] = []
        for message in (
            Inject(request(dist_list="*")),
            Inject(request(source="east", dist_list="*", sequence=2)),
        ):
            found.extend(core.handle(message, NOW))
        found.extend(core.handle(heard((1, 2)), NOW, "north"))
        return found

    assert run() == run()


def test_a_withdrawal_tells_what_became_of_it() -> None:
    core = core_of("north", "south")
    inject(core, request())
    number = core.applied("north")[0].number

    decisions = inject(core, request(UNSUB, sequence=2))
    core.handle(Done(number, withdrawn=True), NOW, "north")

    assert ("applied", "north") in [(d.decision, d.to) for d in decisions]
    steps = core.outcomes.get("client/1/2")
    assert steps is not None
    assert [step.decision for step in steps if step.service == "north"] == [
        "ordered",
        "forwarded",
        "applied",
    ]


def test_one_gateway_of_a_shared_service_repeats_what_a_client_asked_there() -> None:
    passed_on = {}
    for repeats in (True, False):
        north = AdapterSettings("g1.north", "north", repeats=repeats)
        south = AdapterSettings("g1.south", "south")
        core = core_of("north", "south", adapters={"north": north, "south": south})
        decisions = say(core, request(source="north", dist_list="south"), "north")
        passed_on[repeats] = [d.to for d in decisions if d.decision == "forwarded"]

    assert passed_on == {True: ["north", "south"], False: ["south"]}


def test_a_full_table_still_takes_renewals_and_withdrawals() -> None:
    """Rule E2."""
    core = core_of("north", "south", max_requests=1)
    inject(core, request())

    renewed = inject(core, request(sequence=2))
    withdrawn = inject(core, request(UNSUB, dist_list="*", sequence=3))

    assert [renewed[0].decision, withdrawn[0].decision] == ["received", "received"]
    assert not subscribed(core)
    assert len(core.table) == 1


def test_an_announcement_that_changed_is_ordered_anew() -> None:
    core = core_of("north", "south")
    first, second = (Event.of("Speed", rate=rate) for rate in (1.0, 2.0))
    ann, unann = RequestType.ANNOUNCEMENT, RequestType.UNANNOUNCEMENT
    inject(core, request(ann, event=first, version=1))
    other = request(ann, event=second, requester="other", version=2, sequence=2)

    _, changed = core.handle(Inject(other), NOW)
    _, back = core.handle(
        Inject(request(unann, event=second, requester="other", version=3, sequence=3)), NOW
    )

    told = [order.body for order in orders(changed + back, "north") if isinstance(order, Announce)]
    assert [binary.decode(body) for body in told] == [second, first]
    assert [binary.decode(applied.body) for applied in core.applied("north")] == [first]


def test_numbers_of_a_gateway_before_mean_nothing_to_the_one_started_again() -> None:
    core = core_of("north", "south", "east")
    rows = [
        (mutation.key, mutation.value)
        for number, source in enumerate(("south", "east"), 1)
        for mutation in core.handle(
            Inject(request(source=source, filter=f"rate > {number}", sequence=number)), NOW
        )[0]
        if isinstance(mutation, PutRow)
    ]
    before = [applied.number for applied in core.applied("north")]

    again = GatewayCore(core.settings, dict(rows[::-1]), after=NOW.wall_us)

    assert all(number > NOW.wall_us for number in [a.number for a in again.applied("north")])
    _, outputs = again.handle(heard((before[0],)), NOW, "north")
    assert [each.reason for each in outputs if isinstance(each, Decided)] == ["no subscription"]
    assert sorted(subscribed(again)) == sorted(subscribed(core))
