"""The air: one shared medium, on one MQTT broker, for all nodes of a process."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from secrets import token_hex
from typing import Self
from zlib import crc32

from serving.clocks import wall_us

from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.lifetime import Opening
from eventservices.steam.cells import Grid
from eventservices.steam.codec import encode
from eventservices.steam.counters import Counters
from eventservices.steam.event import check_name
from eventservices.steam.fanout import KEPT_MALFORMED, Fanout, OnMalformed, SetAside
from eventservices.steam.link import Link, acknowledged
from eventservices.steam.location import Location
from eventservices.steam.medium import Carrier, Looking, Member, Message
from eventservices.steam.node import Node
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.rounds import Rounds
from eventservices.steam.settings import AirSettings
from eventservices.steam.topics import Kind, Topics, encode_level

MAX_NODES = 10_000
"""Most nodes of one process on one air."""

_log = logging.getLogger(__name__)

_BURST = 50  # nodes that send beacons, or receivers that look, between two turns of the loop
_DRAIN_S = 0.001


class Air(Opening):
    """Sends what the nodes of this process publish, and receives what others publish.

    Args:
        settings: Name, broker, grid and limits.
        clock_us: The trace's clock, microseconds since 1970 UTC; the wall clock where None.

    Attributes:
        watchers: The first of them is notified of each malformed message.
        own_counters: What no node is meant by.
    """

    def __init__(self, settings: AirSettings, clock_us: Callable[[], int] | None = None) -> None:
        check_name(settings.name, "air")
        self.settings = settings
        self.clock_us = clock_us or wall_us
        self.grid = Grid(settings.cell_edge_m)
        self.topics = Topics(settings.name)
        self.receivers: dict[Looking, None] = {}
        self.set_aside: deque[SetAside] = deque(maxlen=KEPT_MALFORMED)
        self.watchers: list[OnMalformed] = []
        self.beacons_sent = 0
        self.beacons_unsent = 0
        self.own_counters = Counters()
        self._nodes: dict[str, Node] = {}
        self._gone = Counters()
        self._rounds = Rounds()
        self._client_id = settings.client_id or f"{settings.name}-{token_hex(6)}"
        self._carriers = [self._carrier(number) for number in range(settings.connections)]

    def _carrier(self, number: int) -> Carrier:
        client_id = encode_level(f"{self._client_id}-{number}")
        fanout = Fanout(self.own_counters, self.set_aside, self.watchers)
        probe = self.topics.probe(client_id)
        link = Link(self.settings, client_id, probe, fanout.deliver)
        fanout.attach(link)
        return Carrier(link, fanout)

    async def open(self) -> Self:
        """Connect to the broker; from then on connections that are lost are made again.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker does not accept this client.
        """
        try:
            for carrier in self._carriers:
                await carrier.link.open()
        except BaseException:
            await self.close()
            raise
        self._rounds.every(self.settings.round_s, self._look)
        self._rounds.every(self.settings.beacon_period_s, self._beacon)
        return self

    async def close(self) -> None:
        """Remove the nodes from the air and disconnect; harmless where that was done."""
        await self._rounds.close()
        for node in list(self._nodes.values()):
            node.close()
        for carrier in self._carriers:
            await carrier.link.close()

    def node(self, settings: NodeSettings, location: Location) -> Node:
        """Put a node on the air.

        Args:
            settings: Name, radio range and what else the node is.
            location: States where it is.

        Raises:
            RefusedError: The name is accepted this process, or there are too many nodes.
        """
        if settings.name in self._nodes or len(self._nodes) >= MAX_NODES:
            raise RefusedError(f"no room for a node {settings.name!r} on this air")
        node = self._nodes[settings.name] = Node(self, settings, location)
        return node

    def forget(self, node: Member) -> None:
        """Remove a node from the air; its counters stay in the sum."""
        if self._nodes.get(node.name) is node:
            del self._nodes[node.name]
            self._gone = Counters.total([self._gone, node.counters])

    def carrier(self, name: str) -> Carrier:
        """Return the connection that a node keeps to, so that its events stay in order."""
        return self._carriers[crc32(name.encode()) % len(self._carriers)]

    @property
    def counters(self) -> Counters:
        """Sum over all nodes and connections since the air was made."""
        nodes = [node.counters for node in self._nodes.values()]
        links = [carrier.link.counters for carrier in self._carriers]
        return Counters.total([self.own_counters, self._gone, *nodes, *links])

    @property
    def delivered(self) -> int:
        """Messages that the broker brought to all connections; one may serve many nodes."""
        return sum(carrier.fanout.delivered for carrier in self._carriers)

    @property
    def connected(self) -> bool:
        """Whether messages can be sent; sends nothing of whether any arrive."""
        return all(carrier.link.connected for carrier in self._carriers)

    @property
    def healthy(self) -> bool:
        """Whether all connections are up and all active subscriptions."""
        return all(carrier.link.healthy for carrier in self._carriers)

    @property
    def lead_us(self) -> int:
        """How far ahead a moving node must look, on the trace's clock; microseconds."""
        return round(self.settings.lead_s * 1e6)

    def monotonic_s(self) -> float:
        """Return the event loop's time; seconds."""
        return asyncio.get_running_loop().time()

    async def probe(self, deadline_s: float = 2.0, *, shared: bool = False) -> float:
        """Send a message to itself over every connection and wait for all.

        Returns:
            The duration of the longest, wall time; seconds.

        Raises:
            NotConnectedError: One did not come back; its connection is made again.
        """
        times_s = [
            await carrier.link.probe(deadline_s, shared=shared) for carrier in self._carriers
        ]
        return max(times_s)

    async def drain(self, below_bytes: int = 65_536) -> None:
        """Wait until the connections have no more than a backlog of `below_bytes` to send."""
        await asyncio.sleep(0)
        while any(one.link.backlog_bytes > below_bytes for one in self._carriers):  # noqa: ASYNC110 - gmqtt notifies nobody when a backlog is gone
            await asyncio.sleep(_DRAIN_S)

    async def look(self, deadline_s: float = 10.0) -> None:
        """Make every moving receiver cover its present surroundings, and wait until it does.

        The air does so by itself every position interval, without waiting.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker refused a subscription, or there are too many.
        """
        replies = [reply for receiver in list(self.receivers) for reply in receiver.look()]
        await acknowledged(replies, deadline_s)

    async def _look(self) -> None:
        for number, receiver in enumerate(list(self.receivers), 1):
            if receiver in self.receivers:
                try:
                    receiver.look()
                except EventServiceError as error:  # it tries again, and the others go on
                    self.own_counters.uncovered += 1
                    _log.info("receiver not moved", extra={"reason": str(error)})
            if number % _BURST == 0:
                await asyncio.sleep(0)

    async def _beacon(self) -> None:
        for number, node in enumerate(list(self._nodes.values()), 1):
            node.beacon()
            if number % _BURST == 0:
                await asyncio.sleep(0)

    def tell(
        self, link: Link, kind: Kind, subject: str, location: Location, message: Message
    ) -> None:
        """Send a beacon from where a node is.

        One that cannot go out, as its node's position is not known or the broker is away, is
        counted and left to the next period.
        """
        now_us = self.clock_us()
        position = location.position_at(now_us)
        if position is None:
            self.beacons_unsent += 1
            return
        topic = self.topics.of(kind, self.grid.cell(position), encode_level(subject))
        try:
            link.publish(topic, encode(message(position, now_us)))
        except NotConnectedError:
            self.beacons_unsent += 1
        else:
            self.beacons_sent += 1
