"""A thousand moving nodes on one broker: what is delivered is what geometry demands."""

import asyncio
from itertools import count
from pathlib import Path
from random import Random

import pytest
from eventservices.steam import (
    Air,
    AirSettings,
    Event,
    Node,
    NodeSettings,
    Notification,
    Subscription,
    Term,
    TraceLocation,
    around,
    parse_proximity,
)
from integration.steam.brokers import Broker
from integration.steam.field import SECOND_US, Area, Field, Said, Wish, name, truth

NODES, SIDE_M, SECONDS = 1000, 10_000.0, 60
RANGE_M, FASTEST_MPS = 300.0, 30.0
CONNECTIONS = 8
INSTANTS = 10  # in each second, at which some speak
PERIOD = 2  # seconds; every node speaks once in each
WHOLE_RANGE = Area("circle", True, 0.0, 0.0, (RANGE_M,))


class Clock:
    now_us = 0

    def __call__(self) -> int:
        return self.now_us


class Play:
    """Drives a field through an air, second by second of the trace."""

    def __init__(self, land: Field, trace: Path) -> None:
        self.clock = Clock()
        self.said: list[Said] = []
        self.heard: list[tuple[int, int]] = []
        self._land = land
        self._trace = trace
        self._random = Random(2003)
        self._numbers = count()
        self._nodes: list[Node] = []
        self._held: dict[Wish, Subscription] = {}

    async def run(self, air: Air, wishes: list[Wish]) -> None:
        for number in range(self._land.nodes):
            place = TraceLocation(self._trace, name(number))
            node = air.node(NodeSettings(name(number), RANGE_M), place)
            node.announce("Speed", around(RANGE_M))
            node.announce("Ice", around(RANGE_M))
            self._nodes.append(node)
        for second in range(self._land.seconds):
            self.clock.now_us = second * SECOND_US
            await air.look()
            await self._subscribe([wish for wish in wishes if wish.first == second])
            self._unsubscribe([wish for wish in wishes if wish.end == second])
            for instant in range(INSTANTS):
                self.clock.now_us = second * SECOND_US + instant * SECOND_US // INSTANTS
                turn = second % PERIOD * INSTANTS + instant
                self._speak(range(turn, self._land.nodes, PERIOD * INSTANTS))
                await asyncio.sleep(0)
            # The first round has all that was said at the broker, the second all that it sent.
            await air.probe(30.0)
            await air.probe(30.0)

    async def _subscribe(self, wishes: list[Wish]) -> None:
        made = await asyncio.gather(*map(self._ask, wishes))
        self._held.update(zip(wishes, made, strict=True))

    async def _ask(self, wish: Wish) -> Subscription:
        def hear(notification: Notification) -> None:
            self.heard.append((wish.node, notification.parameters["number"]))

        terms = [] if wish.above is None else [Term("rate", ">", wish.above)]
        return await self._nodes[wish.node].subscribe(wish.subject, hear, terms)

    def _unsubscribe(self, wishes: list[Wish]) -> None:
        for wish in wishes:
            self._nodes[wish.node].unsubscribe(self._held.pop(wish))

    def _speak(self, nodes: range) -> None:
        for node in nodes:
            subject = self._random.choice(("Speed", "Speed", "Ice"))
            area = self._random.choice(areas(self._land))
            rate = float(self._random.randint(30, 110))
            said = Said(next(self._numbers), node, self.clock.now_us, subject, rate, area)
            self._nodes[node].publish(event(said))
            self.said.append(said)


def event(said: Said) -> Event:
    parameters = {"number": said.number, "rate": said.rate}
    if said.area is WHOLE_RANGE:
        return Event(said.subject, parameters)  # the area announced
    return Event(said.subject, parameters, proximity=parse_proximity(said.area.text))


def areas(land: Field) -> list[Area]:
    """Return both shapes, absolute and relative, on the producer and beside it."""
    lat, lon = land.place(SIDE_M / 2, SIDE_M / 2)
    return [
        WHOLE_RANGE,
        WHOLE_RANGE,
        Area("circle", True, 0.001, -0.001, (150.0,)),
        Area("rectangle", True, 0.0, 0.0, (500.0, 200.0)),
        Area("circle", False, lat, lon, (3000.0,)),
        Area("rectangle", False, lat, lon, (9000.0, 4000.0)),
    ]


def wishes_of(nodes: int) -> list[Wish]:
    """Return who subscribes: some with a filter, some to both subjects, some not all the time."""
    wishes = []
    for node in range(nodes):
        first, end = (20, 40) if node % 10 == 3 else (0, SECONDS)
        wishes.append(Wish(node, "Speed", 70.0 if node % 3 == 0 else None, first, end))
        if node % 4 == 0:
            wishes.append(Wish(node, "Ice", 50.0, 0, SECONDS))
    return wishes


@pytest.mark.broker
@pytest.mark.timeout(300)  # some 15 s of CPU time, on a machine that others use
async def test_a_thousand_moving_nodes_hear_what_geometry_demands_and_the_broker_is_spared(
    broker: Broker, tmp_path: Path
) -> None:
    land, wishes = Field(NODES, SIDE_M, SECONDS, FASTEST_MPS), wishes_of(NODES)
    land.write(tmp_path / "trace.csv")
    play = Play(land, tmp_path / "trace.csv")
    settings = AirSettings(
        broker.mqtt_url,
        "field",
        connections=CONNECTIONS,
        v_max_mps=FASTEST_MPS,
        leave_after_s=0.2,
        beacon_period_s=5.0,
    )
    async with Air(settings, play.clock) as air:
        await play.run(air, wishes)
        counters, delivered = air.counters, air.delivered
    wanted = truth(land, play.said, wishes, RANGE_M)
    assert len(play.said) == NODES * SECONDS // PERIOD == counters.transmitted
    assert len(play.heard) == len(set(play.heard)) == counters.received
    assert set(play.heard) == wanted.heard
    assert len(wanted.heard) > len(play.said) / 2
    assert counters.filtered_content == wanted.filtered > 0
    assert counters.outside_proximity > 0
    assert (counters.uncovered, counters.no_position, counters.unsent) == (0, 0, 0)
    # Whatever counts as a delivery: a message to a connection, or one that a node has to judge.
    assert 10 * delivered <= wanted.broadcast
    assert 10 * counters.offered <= wanted.broadcast
