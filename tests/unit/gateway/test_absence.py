"""Who was away, who is new, and what each may take from whom."""

from fes.gateway import GatewayCore
from fes.gateway.inputs import LinkUp
from fes.gateway.replication import Role
from support.gateways.absence import HORIZON_S, UNSUB, Absence
from support.simulation.timeline import SECOND

PAIR = "A-s0 A-s1 B-s1 B-s2"
THREE = "A-s0 A-s1 B-s1 B-s2 C-s1 C-s3"
NIGHT_S = 8 * HORIZON_S


def kill(world: Absence, *gateways: str) -> None:
    for gateway in gateways:
        world.kill(gateway)


def start(world: Absence, *gateways: str) -> None:
    for gateway in gateways:
        world.start(gateway)


def doubtful(world: Absence, gateway: str) -> bool:
    return world.cores[gateway].gossip.touch.doubtful


def test_a_new_neighbours_empty_table_takes_nothing_from_one_that_was_away() -> None:
    """Rule H14."""
    world = Absence(PAIR)
    world.ask("A")
    world.step(2 * HORIZON_S)
    kill(world, "A", "B")
    world.sleep(NIGHT_S)
    world.wipe("B")
    start(world, "B")
    world.step(3)
    start(world, "A")

    world.step(3 * HORIZON_S)

    assert world.agreed == ["client"]


def test_what_held_before_holds_where_all_were_away() -> None:
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    kill(world, "A", "B", "C")
    world.sleep(NIGHT_S)
    start(world, "A", "B", "C")

    world.step(3 * HORIZON_S)

    assert world.agreed == ["client"]


def test_what_one_knows_to_be_withdrawn_stays_so_where_all_were_away() -> None:
    """Rule H15."""
    world = Absence(PAIR)
    world.ask("A")
    world.step(2 * HORIZON_S)
    kill(world, "B")
    world.step(1)
    world.ask("A", UNSUB)
    world.step(5)
    kill(world, "A")
    world.sleep(NIGHT_S)
    start(world, "A", "B")

    world.step(3)

    assert world.agreed == []


def test_one_killed_soon_after_its_first_start_is_away_after_the_horizon() -> None:
    world = Absence(THREE)
    world.ask("A")
    world.step(HORIZON_S / 8)
    kill(world, "B")
    world.ask("A", UNSUB)
    world.step(3 * HORIZON_S)
    assert world.remembered("A") == 0, "A and C forgot what B never heard"
    start(world, "B")
    world.step(0)
    assert world.cores["B"].gossip.table_sync.away

    world.step(5)

    assert world.agreed == []
    assert not world.cores["B"].gossip.table_sync.away


def test_being_away_does_not_end_by_time_alone() -> None:
    """Rule H16."""
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    kill(world, "B")
    world.ask("A", UNSUB)
    world.step(3 * HORIZON_S)
    world.cut |= {("B", "s1"), ("B", "s2")}
    start(world, "B")
    world.step(3 * HORIZON_S)
    assert world.knows("B") == ["client"]

    world.part("B", joined=True)
    world.step(5)

    assert world.agreed == []


def test_a_running_gateway_that_received_nothing_for_the_horizon_is_away() -> None:
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    world.part("B")
    world.ask("A", UNSUB)

    world.step(3 * HORIZON_S)

    assert world.cores["B"].gossip.table_sync.away
    world.part("B", joined=True)
    world.step(5)
    assert world.agreed == []


def test_what_was_asked_of_one_in_a_separation_survives_it() -> None:
    """Rule H17."""
    world = Absence(THREE)
    world.ask("A", requester="old")
    world.step(2 * HORIZON_S)
    world.part("B")
    world.step(5)
    world.ask("A", UNSUB, requester="old")
    world.ask("B", requester="own")
    world.step(3 * HORIZON_S)

    world.part("B", joined=True)
    world.step(8)

    assert world.agreed == ["own"]


def test_what_was_withdrawn_at_one_in_a_separation_stays_withdrawn() -> None:
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    world.part("B")
    world.step(1)
    world.ask("B", UNSUB)
    world.step(3 * HORIZON_S)

    world.part("B", joined=True)
    world.step(8)

    assert world.agreed == []


def test_a_table_of_many_parts_is_taken_as_a_whole() -> None:
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    kill(world, "B")
    world.ask("A", UNSUB)
    world.step(3 * HORIZON_S)
    many = [f"c{number:04}" for number in range(420)]
    for requester in many:
        world.ask("A", requester=requester)
        world.run(world.now_us)
    world.step(3)

    start(world, "B")
    world.step(12)

    assert world.agreed == many


def test_one_that_is_new_is_believed_once_it_knows_what_the_others_know() -> None:
    world = Absence(THREE, ("A", "C"))
    world.ask("A")
    world.step(2 * HORIZON_S)
    start(world, "B")
    world.step(0)
    assert doubtful(world, "B")

    world.step(4)

    assert not doubtful(world, "B")
    assert world.agreed == ["client"]


def test_who_has_no_neighbours_is_never_away() -> None:
    world = Absence("A-s0 A-s1")
    world.ask("A")

    world.step(2 * HORIZON_S)
    kill(world, "A")
    world.sleep(NIGHT_S)
    start(world, "A")
    world.step(3)

    assert not world.cores["A"].gossip.touch.doubtful
    assert world.known == {"A": ["client"]}


def test_taking_the_lead_over_ever_again_makes_no_gateway_away() -> None:
    """Rule H18."""
    world = Absence(PAIR)
    world.step(2 * HORIZON_S)
    world.part("A")
    world.part("B")
    world.ask("A")
    for number in range(1, 8):
        world.step(1)
        state = dict(world.journals.state("A"))
        core = GatewayCore(world.settings("A"), state, world.now_us, Role.FOLLOWING)
        world.cores["A"] = core
        moment = world._clock("A")
        mutations, _ = core.lead(
            state, moment, world.now_us + number * 1000 * HORIZON_S * 1_000_000
        )
        world.journals.append("A", mutations)
        assert not core.gossip.table_sync.away

    world.part("A", joined=True)
    world.part("B", joined=True)
    world.step(5)

    assert world.agreed == ["client"]


def test_a_restart_after_another_makes_no_gateway_away() -> None:
    world = Absence(PAIR)
    world.ask("A")
    world.step(HORIZON_S)
    for _ in range(8):
        world.kill("A")
        world.start("A")
        world.step(1)
        assert not world.cores["A"].gossip.table_sync.away

    assert world.agreed == ["client"]


def test_a_process_that_stood_still_for_long_knows_that_it_was_away() -> None:
    """What it hears first must not hide it."""
    world = Absence(THREE)
    world.ask("A")
    world.step(2 * HORIZON_S)
    still = world.cores.pop("B")
    world.ask("A", UNSUB)
    world.step(3 * HORIZON_S)
    world.cores["B"] = still

    world.step(6)

    assert world.agreed == []


def test_a_withdrawal_past_its_time_is_still_learnt_from_one_that_kept_it() -> None:
    """Of a lease that was made shorter, and ended, while nobody was there."""
    world = Absence(PAIR)
    world.ask("A", lease_s=20)
    world.step(1)
    world.kill("B")
    world.ask("A", lease_s=2)
    world.step(2 * HORIZON_S)
    world.skew_us["B"] = -NIGHT_S * SECOND  # its lease lasts on: no time passed, it believes
    world.start("B")
    world.step(0)
    assert world.known == {"A": [], "B": ["client"]}

    world.step(5)

    assert world.agreed == []


def test_links_that_come_up_do_not_forget_what_was_withdrawn() -> None:
    world = Absence(PAIR)
    world.ask("A")
    world.step(2 * HORIZON_S)
    world.part("B")
    world.ask("A", UNSUB)
    world.kill("A")
    world.sleep(NIGHT_S)
    world.start("A")
    core = world.cores["A"]
    core.handle(LinkUp(), world._clock("A"), "s0")

    assert world.remembered("A") == 1
