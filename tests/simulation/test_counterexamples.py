"""The runs that each rule of the protocol is there for, played with the real core."""

import pytest
from fes.link.messages import Confirmed
from fes.model import Identity
from support.drawing.traits import Traits
from support.simulation.access import Access
from support.simulation.scripted import SUB, UNSUB, Ask, Break, Say, played, topology
from support.simulation.world import SECOND, World

SEEDS = range(12)


def got(world: World, service: str) -> list[int]:
    """Return the sequence numbers of what native clients of an event service got, in order."""
    return [delivery.identity.sequence for delivery in world.deliveries[service]]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_event_for_an_access_point_on_the_air_is_heard_there(seed: int) -> None:
    """Rule F9."""
    where = topology("gv-c0 gv-av gm-am gm-m0", air=("av", "am"))
    world, _, broken = played(where, [Ask(1, SUB, "am", "c0", "gv")], [Say(8, "c0")], seed=seed)

    assert broken == []
    assert got(world, "am") == [1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_request_is_withdrawn_by_another_way_than_it_came_in(seed: int) -> None:
    where = topology("g0-s0 g0-s1 g1-s0 g1-s2")
    asks = [Ask(1, SUB, "s1", "s?", "g1"), Ask(12, UNSUB, "s1", "s?")]
    world, _, broken = played(where, asks, [Say(8, "s0"), Say(20, "s0")], seed=seed)

    assert broken == []
    assert got(world, "s1") == [1]
    assert not any(access.filters for access in world.access.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_standby_knows_what_was_asked_of_the_gateway_that_is_gone(seed: int) -> None:
    """Rule R9."""
    where = topology("A-s0 A-s1 B-s0 B-s1")
    asks, gone = [Ask(1, SUB, "s1", "s0", "A")], [Break(5, 22, "A")]
    world, _, broken = played(where, asks, [Say(18, "s0")], gone, seed)

    assert broken == []
    assert got(world, "s1") == [1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gateway_that_was_away_learns_what_was_withdrawn_meanwhile(seed: int) -> None:
    """Rule H11."""
    where = topology("A-s0 A-s1 B-s1 B-s2")
    asks = [Ask(1, SUB, "s2", "s0"), Ask(6, UNSUB, "s2", "s0")]
    world, _, broken = played(where, asks, [Say(19, "s0")], [Break(5, 7, "A")], seed)

    assert broken == []
    assert got(world, "s2") == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fabricated_announcement_ends_when_nothing_is_published(seed: int) -> None:
    where = topology("A-s0 A-s1 B-s1 B-s2")
    asks = [Ask(1, SUB, "s2", "s0", "A"), Ask(12, UNSUB, "s2", "s0", "A")]
    world, _, broken = played(where, asks, [Say(8, "s0")], seed=seed)

    assert broken == []
    assert not any(access.announced for access in world.access.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_restart_costs_no_more_than_an_origin_sent_in_a_second(seed: int) -> None:
    """Rule F7."""
    where = topology("A-s0 A-s1", best_effort=("s0",), repeating=("s1",))
    says = [Say(4, "s0"), Say(17, "s0"), Say(18, "s0")]
    world, _, broken = played(where, [Ask(1, SUB, "s1", "s0", "A")], says, [Break(5, 6, "A")], seed)

    assert broken == []
    assert got(world, "s1") == [1, 2, 3]


@pytest.mark.parametrize("seed", SEEDS)
def test_order_holds_along_each_way_where_two_subscriptions_lead_to_one_place(seed: int) -> None:
    """Rule G16."""
    where = topology("A-s0 A-s1 B-s1 B-s2 A-s2", best_effort=("s0",))
    asks = [
        Ask(1, SUB, "s2", "s0", "A", least=6),
        Ask(1, SUB, "s1", "s0", "A", requester="c1"),
        Ask(1, SUB, "s2", "s1", "B", requester="c2"),
    ]
    world, _, broken = played(where, asks, [Say(8, "s0", (3, 7))], seed=seed)

    assert broken == []
    assert sorted(got(world, "s2")) == [1, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_sent_again_stays_in_front_of_what_is_newer(seed: int) -> None:
    """Rule G5."""
    where = topology("A-s0 A-s1 B-s1 B-s2")
    says = [Say(4.998, "s0", (5, 5, 5, 5), persistent=True)]
    flap = [Break(5, 5.004, "B", "s1")]
    world, _, broken = played(where, [Ask(1, SUB, "s2", "s0")], says, flap, seed)

    assert broken == []
    assert got(world, "s2") == [1, 2, 3, 4]


@pytest.mark.parametrize("seed", SEEDS)
def test_custody_that_comes_back_is_held_anew(seed: int) -> None:
    """Rule G8."""
    where = topology("A-h A-s1 A-s4 B-s1 B-s2 C-s2 C-s3 C-s4")
    says = [Say(4.98, "h", (5,) * 6, persistent=True)]
    gone = [Break(5, 18, "B", "s2")]
    world, _, broken = played(where, [Ask(1, SUB, "s3", "h")], says, gone, seed)

    assert broken == []
    assert sorted(got(world, "s3")) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hole_in_a_wildcard_outlives_the_horizon(seed: int) -> None:
    """Rule T7."""
    where = topology("A-s0 A-s1 B-s1 B-s2")
    asks = [Ask(1, SUB, "s2", "*"), Ask(2, UNSUB, "s2", "s0", "A")]
    says = [Say(25, "s0"), Say(25, "s1", origin="p")]
    world, _, broken = played(where, asks, says, seed=seed)

    assert broken == []
    assert [d.identity.origin for d in world.deliveries["s2"]] == ["p"]


@pytest.mark.parametrize("seed", SEEDS)
def test_services_that_cannot_stamp_do_not_hear_their_own_publications(seed: int) -> None:
    where = topology("A-s0 A-k A-l", repeating=("k", "l"))
    asks = [
        Ask(1, SUB, "k", "s0,l", "A"),
        Ask(1, SUB, "l", "k", "A", requester="c1"),
    ]
    world, _, broken = played(where, asks, [Say(8, "s0")], seed=seed)

    assert broken == []
    assert (got(world, "k"), got(world, "l")) == ([1], [])


@pytest.mark.parametrize("seed", SEEDS)
def test_an_own_publication_that_is_heard_again_is_treated_like_any_other(seed: int) -> None:
    """Rule F8."""
    where = topology("A-s0 A-s1 A-s2")
    asks = [Ask(1, SUB, "s1", "s0", "A"), Ask(1, SUB, "s2", "s1", "A", requester="c1")]
    world, _, broken = played(where, asks, [Say(8, "s0")], seed=seed)

    assert broken == []
    assert got(world, "s2") == [1]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_gateways_at_the_same_services_withdraw_alike(seed: int) -> None:
    """Rule T9."""
    where = topology("g0-s0 g0-s1 g1-s0 g1-s1")
    asks = [Ask(1, SUB, "s1", "s0", "g1"), Ask(12, UNSUB, "s1", "s0", "g0")]
    world, _, broken = played(where, asks, [Say(8, "s0"), Say(20, "s0")], seed=seed)

    assert broken == []
    assert [d.identity for d in world.deliveries["s1"]] == [Identity("o", 1, 1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lease_that_ended_while_its_gateway_was_away_does_not_hold_again(seed: int) -> None:
    where = topology("A-s0 A-s1")
    asks = [Ask(1, SUB, "s1", "s0", "A", expires_s=6)]
    says = [Say(12, "s0", persistent=True)]
    world, _, broken = played(where, asks, says, [Break(4, 14.3, "A")], seed)

    assert broken == []
    assert got(world, "s1") == []


@pytest.mark.parametrize("seed", SEEDS)
def test_two_gateways_without_room_do_not_wait_for_each_other(seed: int) -> None:
    where = topology("A-s0 A-s1 B-s1 B-s2")
    asks = [Ask(1, SUB, "s2", "s0"), Ask(1, SUB, "s0", "s2", requester="c1")]
    numbers = (5,) * 8
    says = [
        Say(4.5, "s0", numbers, persistent=True),
        Say(4.5, "s2", numbers, persistent=True, origin="p"),
    ]
    gone = [Break(4, 7, "B", "s1")]
    world, _, broken = played(where, asks, says, gone, seed, Traits(custody=4))

    assert broken == []
    sent = [1, 2, 3, 4, 5, 6, 7, 8]
    assert [d.identity.sequence for d in world.deliveries["s2"] if d.home == "s0"] == sent
    assert [d.identity.sequence for d in world.deliveries["s0"] if d.home == "s2"] == sent


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_reserved_in_a_busy_second_are_lost_though_a_restart_comes_much_later(
    seed: int,
) -> None:
    where = topology("A-s0 A-s1", best_effort=("s0",), repeating=("s1",))
    says = [Say(4, "s0", (5,) * 8), Say(6.5, "s0"), Say(20, "s0", (5,) * 12)]
    gone = [Break(5.5, 6, "A")]
    world, _, broken = played(where, [Ask(1, SUB, "s1", "s0", "A")], says, gone, seed)

    assert broken == []
    assert set(got(world, "s1")) >= {*range(1, 9), *range(17, 22)}, "no more than 8 are lost"


class Mute(World):
    """A world where event services look for no identity, and no confirmation of theirs arrives.

    After 5.8 seconds they do.
    """

    def _answer(self, access: Access, message: Confirmed) -> None:
        self.deduplicates = False
        if self.now_us - self.start_us > 5.8 * SECOND:
            super()._answer(access, message)


@pytest.mark.parametrize("seed", SEEDS)
def test_who_asks_between_two_copies_of_an_event_may_get_it_behind_newer_ones(seed: int) -> None:
    where = topology("A-s0 A-s1 B-s1 B-s2")
    asks = [Ask(1, SUB, "s1", "s0", "A"), Ask(5.3, SUB, "s2", "s1", "B", requester="c1")]
    says = [Say(5, "s0", persistent=True), Say(5.6, "s0", persistent=True)]
    world, _, broken = played(where, asks, says, [Break(5.9, 5.95, "A")], seed, kind=Mute)

    assert broken == []
    assert got(world, "s1") == [1, 2]
    assert got(world, "s2") == [2, 1], "the first copy of 1 came before it was asked for"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("asked_s", [4.1, 4.104, 4.107, 4.11])
def test_order_is_that_of_each_way_while_a_second_request_is_on_its_way(
    seed: int, asked_s: float
) -> None:
    where = topology("g0-s0 g0-s1 g1-s1 g1-s2 g2-s2 g2-s3")
    asks = [
        Ask(1, SUB, "s2", "s1"),
        Ask(1, SUB, "s3", "s2", requester="c1"),
        Ask(asked_s, SUB, "s3", "s1", "g0", requester="c2"),
        Ask(1, SUB, "s0", "s1", requester="c3"),
        Ask(1, SUB, "s2", "s0", requester="c4"),
    ]
    says = [Say(4.1, "s1", (5,) * 6, persistent=True)]
    world, _, broken = played(where, asks, says, [Break(4, 6, "g2")], seed)

    assert broken == []
    assert sorted(got(world, "s3")) == [1, 2, 3, 4, 5, 6]
