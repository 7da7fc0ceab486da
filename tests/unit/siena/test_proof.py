"""The proof that a subscription is in force, against servers of our own making."""

import asyncio
from typing import TYPE_CHECKING, cast

from eventservices.siena import Options
from eventservices.siena.peers import Peers
from eventservices.siena.presence import Digest, Who
from eventservices.siena.proof import Proof
from eventservices.siena.witness import Witness

if TYPE_CHECKING:
    from eventservices.natslink import NatsLink


class Link:
    """Stands for a connection to server S0."""

    server_id = "S0"

    def __init__(self) -> None:
        self.flushes = 0

    async def flush(self) -> None:
        self.flushes += 1


class World:
    """A proof with the probes that it sent; `replies` says which are answered, and as which."""

    def __init__(
        self, servers: dict[str, str], witnesses: dict[str, str], timeout_s: float
    ) -> None:
        self.asked: list[tuple[str, int]] = []
        self.replies: dict[str, int] = {}
        self.link = Link()
        self.news = asyncio.Event()
        self.servers = servers | witnesses
        peers = Peers(Options(), [])
        for name, server in servers.items():
            peers.hear(Digest(Who(name, server, None, 0, 0)), 0.0)
        made = [
            Witness(cast("NatsLink", _Connected(server)), name, "x", answered=self.answered)
            for name, server in witnesses.items()
        ]
        self.proof = Proof(
            cast("NatsLink", self.link), made, peers, ask=self.ask, timeout_s=timeout_s
        )

    async def ask(self, name: str, number: int) -> None:
        self.asked.append((name, number))
        self.news.set()
        if name in self.replies:
            self.answered(self.servers[name], number + self.replies[name])

    async def until_asked(self, name: str, times: int) -> None:
        while [asked for asked, _ in self.asked].count(name) < times:
            self.news.clear()
            await self.news.wait()

    def answered(self, server: str, number: int) -> None:
        self.proof.answered(server, number)


class _Connected:
    connected = True

    def __init__(self, server: str) -> None:
        self.server_id = server


async def test_where_nobody_else_is_a_flush_is_enough() -> None:
    world = World({"c1": "S0"}, {}, 5.0)
    assert await world.proof.wait() == ()
    assert (world.link.flushes, world.asked) == (1, [])


async def test_one_client_of_each_other_server_is_asked_until_it_answers() -> None:
    world = World({"c1": "S1", "c2": "S2"}, {}, 5.0)
    world.replies = {"c1": 0}
    waiting = asyncio.create_task(world.proof.wait())
    await world.until_asked("c2", 2)
    assert not waiting.done()
    assert world.asked.count(("c1", 1)) == 1
    world.answered("S2", 1)
    assert await waiting == ()


async def test_a_witness_is_asked_before_a_client() -> None:
    world = World({"c1": "S1"}, {"w1": "S1"}, 5.0)
    world.replies = {"w1": 0}
    assert await world.proof.wait() == ()
    assert world.asked == [("w1", 1)]


async def test_an_answer_to_an_earlier_probe_proves_nothing() -> None:
    world = World({"c1": "S1"}, {}, 0.15)
    world.replies = {"c1": -1}
    assert await world.proof.wait() == ("S1",)


async def test_an_answer_of_a_server_not_asked_proves_nothing() -> None:
    world = World({"c1": "S1"}, {}, 0.15)
    world.servers["c1"] = "S9"
    world.replies = {"c1": 0}
    assert await world.proof.wait() == ("S1",)


async def test_who_comes_during_a_round_gets_a_later_one() -> None:
    world = World({"c1": "S1"}, {}, 5.0)
    first = asyncio.create_task(world.proof.wait())
    await world.until_asked("c1", 1)
    late = [asyncio.create_task(world.proof.wait()) for _ in range(10)]
    await asyncio.sleep(0)
    world.replies = {"c1": 0}
    world.answered("S1", 1)
    assert await first == ()
    assert await asyncio.gather(*late) == [()] * 10
    assert {number for _, number in world.asked} == {1, 2}
