"""Guidance at a gateway's core: where requests apply, as what, until when, and what waits."""

from typing import Any

import pytest
from fes.filter import Filter
from fes.gateway import GatewayCore
from fes.gateway.custody.transfer import EXAMINED
from fes.gateway.inputs import Asker, Guided, Inject, LinkDown, LinkUp, Right, Tick
from fes.gateway.outputs import Decided
from fes.gateway.settings import GuidanceSettings, Instant
from fes.link.messages import Publish, Subscribe, Unsubscribe
from fes.model import Event, binary
from support.gateways.cores import NOW, SECOND, core_of, heard, orders, request

LATER = NOW.wall_us + 3600 * SECOND
ASKER = Asker("south", "Speed")


def gateway(**guidance: Any) -> GatewayCore:
    return core_of("north", "west", "south", guidance=GuidanceSettings(**guidance))


def give(core: GatewayCore, message: Any, after_s: float = 0, service: str = "") -> list[Any]:
    wall_us = NOW.wall_us + int(after_s * SECOND)
    return core.handle(message, Instant(wall_us, wall_us), service)[1]


def right(filter_: str = "", *, permit: bool = True, until_us: int = LATER) -> Guided:
    return Guided(rights={ASKER: Right(permit, until_us, filter_, "rule")})


def applied(core: GatewayCore, *services: str) -> list[list[str]]:
    return [[each.filter for each in core.applied(name)] for name in services]


def test_without_a_service_nothing_is_queried_and_all_applies() -> None:
    core = gateway()
    give(core, Inject(request(dist_list="*")))
    assert applied(core, "north", "west") == [["subject = 'Speed' AND rate > 30"]] * 2
    assert core.guiding.questions() == (frozenset(), frozenset())


def test_a_subscription_with_wildcards_applies_where_sources_are() -> None:
    core = gateway(naming=True)
    give(core, Inject(request(dist_list="*")))
    assert core.guiding.questions().subjects == {"Speed"}
    assert [len(each) for each in applied(core, "north", "west")] == [1, 1]  # nobody knows yet
    outputs = give(core, Guided(places={"Speed": ("west",)}))
    assert [type(each) for each in orders(outputs, "north")] == [Unsubscribe]
    assert [len(each) for each in applied(core, "north", "west")] == [0, 1]
    outputs = give(core, Guided(places={"Speed": ("north", "west")}))
    assert [type(each) for each in orders(outputs, "north")] == [Subscribe]
    assert orders(outputs, "west") == []


def test_a_subscription_that_names_its_services_applies_there_wherever_sources_are() -> None:
    core = gateway(naming=True)
    give(core, Inject(request(dist_list="north")))
    give(core, Guided(places={"Speed": ()}))
    assert [len(each) for each in applied(core, "north")] == [1]
    assert core.guiding.questions().subjects == frozenset()


def test_where_the_naming_service_does_not_know_a_subscription_applies_everywhere() -> None:
    core = gateway(naming=True)
    give(core, Inject(request(dist_list="*")))
    give(core, Guided(places={"Speed": ()}))
    assert applied(core, "north", "west") == [[], []]
    give(core, Guided(places={"Speed": None}))
    assert [len(each) for each in applied(core, "north", "west")] == [1, 1]


def test_a_filter_that_names_no_subject_applies_everywhere() -> None:
    core = gateway(naming=True)
    give(core, Inject(request(dist_list="*", filter="rate > 30")))
    give(core, Guided(places={"Speed": ()}))
    assert [len(each) for each in applied(core, "north", "west")] == [1, 1]


def test_nothing_is_granted_without_a_decision() -> None:
    core = gateway(policy=True)
    give(core, Inject(request()))
    assert applied(core, "north") == [[]]
    assert core.guiding.questions().askers == {ASKER}
    give(core, Guided(rights={ASKER: None}))
    assert applied(core, "north") == [[]]
    give(core, right())
    assert applied(core, "north") == [["subject = 'Speed' AND rate > 30"]]
    give(core, Inject(request(filter="rate > 1", sequence=2)))
    assert len(core.applied("north")) == 1  # the policy service decides by subject


def test_the_rules_filter_joins_the_one_that_travels_and_knows_user_and_device() -> None:
    core = gateway(policy=True, users={"south": "ann"}, other="desk")
    give(core, Inject(request()))
    give(core, right("limit < 80 AND @User = owner AND @Device IN ('desk')"))
    (text,) = applied(core, "north")[0]
    passes = Filter.of(text).matches
    assert passes(Event.of("Speed", rate=40.0, limit=50.0, owner="ann"))
    assert not passes(Event.of("Speed", rate=20.0, limit=50.0, owner="ann"))
    assert not passes(Event.of("Speed", rate=40.0, limit=90.0, owner="ann"))
    assert not passes(Event.of("Speed", rate=40.0, limit=50.0, owner="bob"))
    assert not passes(Event.of("Other", rate=40.0, limit=50.0, owner="ann"))


def test_a_renewed_decision_orders_nothing() -> None:
    core = gateway(policy=True)
    give(core, Inject(request()))
    give(core, right("limit < 80"))
    assert orders(give(core, right("limit < 80", until_us=LATER + SECOND))) == []
    assert orders(give(core, Guided(rights={ASKER: None}))) == []


def test_a_decision_ends_with_its_lifetime_where_none_follows() -> None:
    core = gateway(policy=True)
    give(core, Inject(request()))
    give(core, right(until_us=NOW.wall_us + 5 * SECOND))
    give(core, Guided(rights={ASKER: None}), 4)
    assert len(core.applied("north")) == 1
    outputs = give(core, Tick(), 5)
    assert [type(each) for each in orders(outputs, "north")] == [Unsubscribe]


def test_a_withdrawn_right_is_reported_under_the_id_of_the_request() -> None:
    core = gateway(policy=True)
    subscription = request()
    give(core, Inject(subscription))
    give(core, right())
    outputs = give(core, right(permit=False))
    (decided,) = [each for each in outputs if isinstance(each, Decided)]
    assert (decided.decision, decided.to, decided.request) == (
        "left out",
        "north",
        subscription.id,
    )
    steps = [step.decision for name, step in core.outcomes if name == subscription.id]
    assert steps[-1] == "left out"


def waiting(core: GatewayCore, *rates: float) -> None:
    """Have persistent events wait in custody for a destination that is away."""
    give(core, LinkUp(persistent=True), service="south")
    give(core, Inject(request()))
    give(core, right())
    (subscription,) = core.applied("north")
    for sequence, rate in enumerate(rates, 1):
        event = Event.of("Speed", rate=rate)
        body = {"persistent": True, "body": binary.encode(event)}
        give(core, heard((subscription.number,), sequence, **body), service="north")
    assert len(core.delivery.custody) == len(rates)


def test_copies_in_custody_are_withdrawn_with_the_right_and_counted_as_no_loss() -> None:
    core = gateway(policy=True)
    waiting(core, 40.0, 50.0)
    outputs = give(core, right(permit=False), 1)
    assert len(core.delivery.custody) == 0
    reasons = [(each.decision, each.reason) for each in outputs if isinstance(each, Decided)]
    assert reasons.count(("dropped", "right withdrawn")) == 2


def test_many_copies_are_withdrawn_in_slices_and_none_is_sent_meanwhile() -> None:
    core = gateway(policy=True)
    count = 3 * EXAMINED
    waiting(core, *(40.0 for _ in range(count)))
    give(core, right(permit=False), 1)
    assert len(core.delivery.custody) == count - EXAMINED

    sent = orders(give(core, LinkDown(), 1, service="south"))
    sent += orders(give(core, LinkUp(persistent=True), 1, service="south"))
    assert not any(isinstance(each, Publish) for each in sent)
    for second in (2, 3):
        give(core, Tick(), second)

    assert len(core.delivery.custody) == 0


def test_what_is_permitted_again_before_it_was_examined_is_sent() -> None:
    core = gateway(policy=True)
    waiting(core, *(40.0 for _ in range(2 * EXAMINED)))
    give(core, right(permit=False), 1)
    give(core, right(), 1)
    give(core, Tick(), 2)

    assert len(core.delivery.custody) == EXAMINED


def test_a_narrower_right_leaves_the_copies_that_it_permits() -> None:
    core = gateway(policy=True)
    waiting(core, 40.0, 90.0)
    give(core, right("rate < 80"), 1)
    assert [binary.decode(row.event.body) for row in core.delivery.custody] == [
        Event.of("Speed", rate=40.0)
    ]


def test_copies_that_wait_for_their_start_are_withdrawn_too() -> None:
    core = gateway(policy=True)
    give(core, Inject(request()))
    give(core, right())
    (subscription,) = core.applied("north")
    starts = {"starts_us": NOW.time_us + 10 * SECOND}
    give(core, heard((subscription.number,), **starts), service="north")
    give(core, right(permit=False), 1)
    outputs = give(core, Tick(), 20)
    assert not any(isinstance(each, Publish) for each in orders(outputs))
    assert core.delivery.waiting_bytes == 0


@pytest.mark.parametrize("rule", ["@User = 'ann'", "@User <> 'bob'", "EXISTS @User"])
def test_what_a_rule_reads_of_the_user_is_the_user_of_the_source(rule: str) -> None:
    core = gateway(policy=True, users={"south": "ann"})
    give(core, Inject(request()))
    give(core, right(rule))
    (text,) = applied(core, "north")[0]
    assert Filter.of(text).matches(Event.of("Speed", rate=40.0))
