from itertools import pairwise
from random import Random

import pytest
from fes.federation import Hop, Routes, attachments, loads
from fes.federation.topology import Silence, spanning_tree

CHAIN = (("g1", "s1"), ("g1", "s2"), ("g2", "s2"), ("g2", "s3"), ("g3", "s3"), ("g3", "s4"))
CYCLE = (("g1", "a"), ("g1", "b"), ("g2", "b"), ("g2", "c"), ("g3", "c"), ("g3", "a"))
AIR = (
    ("gv", "bus"),
    ("gv", "car"),
    ("g1", "post1"),
    ("g1", "city"),
    ("g2", "post2"),
    ("g2", "city"),
)
ON_AIR = {"car": "air", "post1": "air", "post2": "air"}


def test_a_way_along_a_chain_names_the_next_gateway() -> None:
    routes = Routes(CHAIN, {})
    assert routes.next_hop("g1", "s4") == Hop("s2", "g2")
    assert routes.next_hop("g2", "s4") == Hop("s3", "g3")
    assert routes.next_hop("g3", "s1") == Hop("s3", "g2")


def test_an_own_event_service_is_its_own_first_step() -> None:
    assert Routes(CHAIN, {}).next_hop("g2", "s3") == Hop("s3")


def test_an_unknown_event_service_has_no_way() -> None:
    routes = Routes(CHAIN, {})
    assert routes.next_hop("g1", "s9") is None
    assert routes.next_hop("g9", "s1") is None


def test_in_a_cycle_the_last_attachment_in_the_file_stands_by() -> None:
    graph = spanning_tree(CYCLE, {})
    assert ("service", "a") not in graph["gateway", "g3"]
    assert Routes(CYCLE, {}).next_hop("g1", "c") == Hop("b", "g2")


def test_an_attachment_that_stands_by_is_still_a_direct_one() -> None:
    assert Routes(CYCLE, {}).next_hop("g3", "a") == Hop("a")


def test_a_standby_has_a_route_over_the_tree_while_that_works() -> None:
    routes = Routes(CYCLE, {})
    assert routes.standbys("g3") == {"a": Hop("c", "g2")}
    assert routes.standbys("g1") == routes.standbys("g2") == {}
    live = [each for each in CYCLE if each != ("g1", "a")]
    assert Routes(live, {}).standbys("g3") == {}


def test_on_a_medium_nobody_stands_by() -> None:
    assert not any(Routes(AIR, ON_AIR).standbys(gateway) for gateway, _ in AIR)


def test_a_standby_takes_over_when_an_attachment_is_gone() -> None:
    live = [each for each in CYCLE if each != ("g2", "b")]
    assert Routes(live, {}).next_hop("g1", "c") == Hop("a", "g3")


def test_over_a_medium_no_next_gateway_is_named() -> None:
    routes = Routes(AIR, ON_AIR)
    assert routes.next_hop("gv", "city") == Hop("car")
    assert routes.next_hop("gv", "post2") == Hop("car")
    assert routes.next_hop("g1", "bus") == Hop("post1")


def test_attachments_to_a_medium_all_stay() -> None:
    graph = spanning_tree(AIR, ON_AIR)
    assert ("service", "post2") in graph["gateway", "g2"]
    assert ("service", "city") in graph["gateway", "g2"]


def test_two_media_do_not_touch() -> None:
    live = (("g1", "a"), ("g2", "b"))
    assert Routes(live, {"a": "north", "b": "south"}).next_hop("g1", "b") is None
    assert Routes(live, {"a": "north", "b": "north"}).next_hop("g1", "b") == Hop("a")


def test_what_is_for_many_goes_along_the_tree() -> None:
    assert Routes(CYCLE, {}).neighbours("g3") == ("c",)
    assert Routes(CYCLE, {}).neighbours("g1") == ("a", "b")


def test_hops_tell_of_each_service_that_is_not_attached() -> None:
    hops = Routes(CHAIN, {}).hops("g1")
    assert hops == {"s3": Hop("s2", "g2"), "s4": Hop("s2", "g2")}


def test_attachments_keep_the_order_of_the_file(small: str) -> None:
    federation = loads(small, {})
    expected = (("g1", "bus"), ("g1", "car"), ("g2", "post"), ("g2", "city"))
    assert attachments(federation) == expected


def test_a_way_leads_only_where_the_file_lets_publications_pass(small: str) -> None:
    silent, passing = "{accept: [], relay: false}", "{accept: [publication], relay: true}"
    mute, deaf = "{accept: [publication], relay: false}", "{accept: [], relay: true}"
    for car, post, expected in (
        (passing, passing, Hop("car")),
        (deaf, mute, Hop("car")),
        (mute, passing, None),
        (passing, deaf, None),
        (silent, silent, None),
    ):
        text = small.replace(f"car: {{control: {silent}", f"car: {{control: {car}")
        text = text.replace(f"post: {{control: {silent}", f"post: {{control: {post}")
        assert Routes.of(loads(text, {})).next_hop("g1", "city") == expected


def test_a_way_over_a_silent_medium_gives_way_to_a_wired_one() -> None:
    posts = frozenset({("g1", "post1"), ("g2", "post2")})
    assert Routes(AIR, ON_AIR).next_hop("g1", "post2") == Hop("post1")
    quiet = Routes(AIR, ON_AIR, Silence(deaf=posts, mute=posts))
    assert quiet.next_hop("g1", "post2") == Hop("city", "g2")


def test_without_an_attachment_there_is_no_way_over_it(small: str) -> None:
    passing = small.replace("accept: [], relay: false", "accept: [publication], relay: true")
    live = {("g1", "bus"), ("g1", "car")}
    assert Routes.of(loads(passing, {}), live).next_hop("g1", "city") is None


def walk(routes: Routes, gateway: str, service: str) -> list[str]:
    """Follow the next gateways until one is attached to the service."""
    way = [gateway]
    while (hop := routes.next_hop(way[-1], service)) and hop.gateway:
        assert hop.gateway not in way, f"{way} turns in a circle"
        way.append(hop.gateway)
    assert hop is not None
    return way


@pytest.mark.parametrize("seed", range(40))
def test_following_the_next_hops_always_arrives(seed: int) -> None:
    random = Random(seed)  # a topology is no secret
    gateways = [f"g{number}" for number in range(random.randint(1, 8))]
    chain = [pair for n, g in enumerate(gateways) for pair in ((g, f"s{n}"), (g, f"s{n + 1}"))]
    services = list(dict.fromkeys(service for _, service in chain))
    chords = [(random.choice(gateways), random.choice(services)) for _ in range(5)]
    live = list(dict.fromkeys([*chain, *chords]))
    random.shuffle(live)
    routes = Routes(live, {})
    for gateway in gateways:
        for service in services:
            way = walk(routes, gateway, service)
            assert (way[-1], service) in live
            for here, there in pairwise(way):
                assert any((here, s) in live and (there, s) in live for s in services)


def test_a_tree_has_one_edge_less_than_vertices() -> None:
    graph = spanning_tree(CYCLE, {})
    edges = sum(len(near) for near in graph.values()) // 2
    assert edges == len(graph) - 1


def test_a_large_federation_has_a_way_from_everywhere_to_everywhere() -> None:
    cars = [(f"gv{n}", name) for n in range(60) for name in (f"bus{n}", f"car{n}")]
    posts = [(f"gm{n}", name) for n in range(10) for name in (f"post{n}", "city")]
    on_air = {f"car{n}": "air" for n in range(60)} | {f"post{n}": "air" for n in range(10)}
    routes = Routes([*cars, *posts], on_air)
    assert all(len(routes.hops(f"gv{n}")) == 131 - 2 for n in range(60))
