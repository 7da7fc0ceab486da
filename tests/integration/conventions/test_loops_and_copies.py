"""Bridges in circles, in stars and restarted: each event once everywhere, and then silence."""

from itertools import permutations

import pytest
from fes.testing.memory import MemoryEvent
from integration.conventions.copies import Copies, agreed, ask, begun, in_force, quiet, undisturbed
from support.processes.hosts import hosts

TWINS = (("A", "s0"), ("A", "s1"), ("B", "s0"), ("B", "s1"))
"""Two gateways between the same two event services."""

STAR = tuple((f"G{n}", service) for n in range(3) for service in ("hub", f"s{n}"))
DOUBLE_STAR = (*STAR, ("H0", "hub"), ("H0", "s0"), ("H2", "hub"), ("H2", "s2"))
RING = (("A", "s0"), ("A", "s1"), ("B", "s1"), ("B", "s2"), ("C", "s2"), ("C", "s0"))
MESH = (*RING, ("D", "s0"), ("D", "s1"), ("D", "s2"))
CHAIN = (("A", "s0"), ("A", "s1"), ("B", "s1"), ("B", "s2"))

SHAPES = {
    "twins": TWINS,
    "star": STAR,
    "double star": DOUBLE_STAR,
    "ring": RING,
    "mesh": MESH,
}


@pytest.mark.parametrize("reliability", [0, 1], ids=["best effort", "persistent"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_whatever_the_shape_every_service_has_every_event_once(
    shape: str, reliability: int
) -> None:
    """All subscribe to the same subject of all others; nobody uses prefixes."""
    attachments = SHAPES[shape]
    async with begun(attachments) as (federation, services):

        async def kinds_sent() -> set[int]:
            await quiet(federation)
            copies = Copies(federation, services)
            for service in services:
                copies.publish(service, range(10), reliability)
            await copies.all_have((home, number) for home in services for number in range(10))
            sent = (each for service in services for each in copies.requests(service))
            return {each.event.parameter("Type") for each in sent}

        kinds = await undisturbed(federation, kinds_sent)
        assert kinds <= {3, 19}, "nothing but publications and their acknowledgements"


@pytest.mark.parametrize("shape", ["twins", "ring", "double star"])
async def test_a_circle_of_gateways_that_were_all_restarted_falls_silent(shape: str) -> None:
    attachments = SHAPES[shape]
    async with begun(attachments) as (federation, services):
        for gateway in dict(attachments):
            await federation.kill(gateway)
            await federation.start(gateway)

        async def said() -> list[MemoryEvent]:
            await quiet(federation)
            copies = Copies(federation, services)
            await quiet(federation, 15)
            return [each for service in services for each in copies.requests(service)]

        assert await undisturbed(federation, said) == []


async def test_a_receivers_gateway_that_was_restarted_five_times_makes_one_copy() -> None:
    async with hosts(*CHAIN) as federation:
        for gateway in "AB":
            await federation.start(gateway)
        ask(federation, "B", "s2", "s0")
        await agreed(federation)
        await in_force(federation, "s0")
        for _ in range(5):
            await federation.kill("B")
            await federation.start("B")
        await agreed(federation)
        await in_force(federation, "s0")
        copies = Copies(federation, ["s0", "s2"])

        copies.publish("s0", range(20))

        await copies.all_have(("s0", number) for number in range(20))


@pytest.mark.parametrize(("asking", "away"), [*permutations("AB")])
async def test_what_is_asked_while_a_gateway_is_away_is_in_force_when_it_is_back(
    asking: str, away: str
) -> None:
    """Nobody has to be restarted for it."""
    source, near = ("s0", "s2") if asking == "A" else ("s2", "s0")
    async with hosts(*CHAIN) as federation:
        for gateway in "AB":
            await federation.start(gateway)
        await agreed(federation)
        await federation.kill(away)
        ask(federation, asking, source, near)
        await federation.start(away)
        await in_force(federation, near)
        await quiet(federation)
        copies = Copies(federation, ["s0", "s2"])

        copies.publish(near, range(5))

        await copies.all_have((near, number) for number in range(5))


@pytest.mark.parametrize(("asking", "away"), [*permutations("AB")])
async def test_what_is_withdrawn_while_a_gateway_is_away_is_gone_when_it_is_back(
    asking: str, away: str
) -> None:
    """Nothing is left that nobody asks for any more."""
    source, near = ("s0", "s2") if asking == "A" else ("s2", "s0")
    async with hosts(*CHAIN) as federation:
        for gateway in "AB":
            await federation.start(gateway)
        ask(federation, asking, source, near)
        await in_force(federation, near)
        await federation.kill(away)
        federation.bus(near).subscribed.clear()
        ask(federation, asking, source, near, withdraw=True)
        await federation.start(away)
        await agreed(federation)
        await in_force(federation, near, 0)
        copies = Copies(federation, [source])

        Copies(federation, [near]).publish(near, range(5))
        await quiet(federation)

        assert not copies.at(source)
