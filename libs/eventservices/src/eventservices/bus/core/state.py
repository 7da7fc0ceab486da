"""What a bus knows, and its bounds."""

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from eventservices.bus.core.effects import Effects, Reply
from eventservices.bus.core.portions import Portions
from eventservices.bus.filters import Compiled, Filter, RunCode, no_code
from eventservices.bus.wire.messages import EBHello, EBNotify, Event
from eventservices.suppress import Suppressor

MOST_FRESH = 1_000
"""Most events of a new source that are kept for sinks that waited for it."""

Precedence = Literal["policy", "both", "sink"]


@dataclass(frozen=True, slots=True)
class BusSettings:
    """How a bus behaves.

    Attributes:
        policy: Whether each subscription is decided by the policy service.
        precedence: Which filter is applied where policy and sink both have one.
        naming: Whether there is a naming service to query.
        code: Whether filters may be plug-ins.
        retry_us: After which what is not confirmed is sent again; ever longer, up to 16 times as
            long.
        wait_us: Longest that `subscribe` waits for the sources' buses.
        fresh_us: How long what a new source sends is kept for sinks that waited for it.
        everywhere_us: How long buses have to answer where all were queried for sources.
        hello_us: Between two signs of life.
        silent_us: After which a silent bus is cleaned up.
        horizon_us: After which a silent bus's, or an absent client's, durable sinks are, too.
        confirm_every: Messages that are confirmed together; fewer are with the next tick.
        window: Most messages of a lane in transit, and most that are retained out of order.
        lane_items: Most messages that wait in a lane.
        sink_items: Most events that wait for a sink.
        in_flight: Most events in transit to a sink.
        most_sinks: Most sinks, and most sources, of one bus.
        most_remote: Most sinks of other buses that have subscribed here.
        most_buses: Most other buses; beyond, those that are new are ignored until another ends.
        most_numbers: Most names without a source whose last event's number is known; beyond, and
            after the horizon, they have one number together.
        most_guesses: Most requests to buses of which nobody stated that they have a source; beyond,
            only those that have one are requested.
    """

    policy: bool = False
    precedence: Precedence = "both"
    naming: bool = False
    code: bool = False
    retry_us: int = 250_000
    wait_us: int = 5_000_000
    fresh_us: int = 5_000_000
    everywhere_us: int = 100_000
    hello_us: int = 2_000_000
    silent_us: int = 30_000_000
    horizon_us: int = 3_600_000_000
    confirm_every: int = 16
    window: int = 256
    lane_items: int = 10_000
    sink_items: int = 1_000
    in_flight: int = 64
    most_sinks: int = 10_000
    most_remote: int = 100_000
    most_buses: int = 10_000
    most_numbers: int = 10_000
    most_guesses: int = 1_000_000


class Decision(msgspec.Struct, frozen=True, array_like=True):
    """What the policy service decided.

    Attributes:
        permit: Whether the sink may subscribe.
        rule: Identifier of the rule that decided.
        until_us: When the decision ends; microseconds since 1970 UTC.
        filter: The rule's filter; None for all.
        reason: For people.
        text: The filter in the federation's language, for gateways; "" for all.
    """

    permit: bool
    rule: str
    until_us: int
    filter: Filter | None = None
    reason: str = ""
    text: str = ""


@dataclass(slots=True)
class Source:
    """A source of this bus's."""

    id: int
    name: str
    client: str


class Standing(msgspec.Struct, gc=False):
    """What became of a sink's request at one source's bus.

    There are as many as sinks times buses: Python's collector, which would look at all of them in
    one turn of the event loop, does not have to, since none refers to another object.

    Attributes:
        guessed: Whether nobody stated that the bus has a source: no call waits for its answer.
    """

    version: int
    guessed: bool = False
    state: Literal["asked", "granted", "refused", "unknown"] = "asked"
    problem: str = ""


@dataclass(slots=True)
class Sink:
    """A sink of this bus's.

    Attributes:
        durable: Name under which a client resumes it; "" where it ends with its client.
        client: "" while a durable sink's client is away.
        at: By source's bus.
        call: The call that waits for the buses' answers, with its deadline.
        asking_until_us: Until when buses that were all queried for sources may answer.
        queue: Serial, origin and event of what waits, the first `flying` of which are in transit.
        stalled: Serial of the first in transit when that was last looked at.
        floors: Highest sequence received before a restart, by origin, epoch and home.
    """

    id: int
    name: str
    filter: Filter | None
    user: str
    device: str
    client: str
    durable: str = ""
    version: int = 0
    since_us: int = 0
    away_us: int = 0
    at: dict[str, Standing] = field(default_factory=dict)
    call: tuple[int, int] | None = None
    looked_up: bool = False
    asking_until_us: int = 0
    queue: deque[tuple[int, str, Event]] = field(default_factory=deque)
    flying: int = 0
    stalled: int = 0
    seen: Suppressor = field(default_factory=lambda: Suppressor(window=4096, origins=1000))
    floors: dict[tuple[str, int, str], int] = field(default_factory=dict)


@dataclass(slots=True)
class RemoteSink:
    """A sink of another bus's, or of this one's, that has subscribed here.

    Attributes:
        asked_us: Time of the last request for its right.
        due_us: When its right is to be looked at; 0 where that is not planned.
    """

    bus: str
    id: int
    version: int
    filter: Filter | None
    user: str
    device: str
    durable: bool
    since_us: int = 0
    test: Compiled | None = None
    decision: Decision | None = None
    asked_us: int = 0
    due_us: int = 0


@dataclass(slots=True)
class Waiting:
    """A message of a lane.

    Attributes:
        event_number: Of the event, among those of its name at this bus.
        sent_us: 0 before it is first sent.
        tries: Times that it was sent again.
    """

    number: int
    event_number: int
    before: int
    sinks: tuple[int, ...]
    event: Event
    sent_us: int = 0
    tries: int = 0


@dataclass(slots=True)
class Lane:
    """Messages of one name to one bus."""

    id: int
    last: int = 0
    items: deque[Waiting] = field(default_factory=deque)


@dataclass(slots=True)
class Fresh:
    """What a new source has sent, for sinks that waited for it."""

    until_us: int
    events: deque[tuple[int, int, Event]] = field(default_factory=lambda: deque(maxlen=MOST_FRESH))


@dataclass(slots=True)
class Arrival:
    """What came in one lane: the last accepted, and what is retained until its turn.

    Attributes:
        started: Whether anything was accepted.
        settled: Whether anything was accepted since this bus was started.
        unconfirmed: How many were accepted since the last confirmation was sent.
    """

    lane: int
    last: int = 0
    started: bool = False
    settled: bool = False
    unconfirmed: int = 0
    held: dict[int, EBNotify] = field(default_factory=dict)


@dataclass(slots=True)
class Peer:
    """Another bus, and when its last sign of life came.

    Attributes:
        incarnation: 0 where no sign of life came yet: it is expected, and silence ends it alike.
    """

    incarnation: int
    sources: int
    dropped: int
    heard_us: int


@dataclass
class State:
    """All that a bus knows.

    Attributes:
        id: Of the bus, unique in its building.
        home: Name of the event service.
        incarnation: Another after each restart; microseconds since 1970 UTC.
        settings: See there.
        run_code: Runs plug-ins.
        adding: Answers that wait for the naming service, by name.
        requested: Sinks by the name that they subscribed to.
        clients: Sinks and sources by their client; absent where there is none.
        remote_of: Sinks that have subscribed here, by their bus; absent where there is none.
        lanes_of, arrivals_of: Names of a bus's lanes, and of what came from it.
        portions: What lasts longer than a turn of the event loop may.
        peers: Buses that are alive, and those that are expected, the one whose sign of life is the
            oldest first: whatever is kept of a bus or for one, that bus is here, among the silent
            or being cleaned up, so that it ends in time.
        leaving: Buses that are being cleaned up, with the last sign of life since.
        crowded: Whether a bus was not requested anything since there are too many.
        silent: Since when buses are silent, of which something is kept: durable sinks here, or
            that sinks of this bus are subscribed there as soon as they are back.
        copies: Messages in lanes that carry a persistent event, with their buses, by the event's
            name and number: what is stored of an event is made from them.
        numbers: Number of the last event of each name.
        retired: Names without a source that have one, and since when, the oldest first.
        floor: No smaller than any number that was forgotten: a name that has none begins there.
        now_us: The time of the last tick or call.
        dropped: How many buses' subscriptions were abandoned.
        ahead_us: How far the clock of the bus is ahead of the wall clock, which others have too.
    """

    id: str
    home: str
    incarnation: int
    settings: BusSettings
    run_code: RunCode = no_code
    effects: Effects = field(default_factory=Effects)
    portions: Portions = field(default_factory=Portions)
    sources: dict[int, Source] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)
    adding: dict[str, list[Reply]] = field(default_factory=dict)
    sinks: dict[int, Sink] = field(default_factory=dict)
    requested: dict[str, set[int]] = field(default_factory=dict)
    clients: dict[str, set[int]] = field(default_factory=dict)
    remote: dict[str, dict[tuple[str, int], RemoteSink]] = field(default_factory=dict)
    remote_of: dict[str, dict[tuple[str, int], RemoteSink]] = field(default_factory=dict)
    remotes: int = 0
    fresh: dict[str, Fresh] = field(default_factory=dict)
    lanes: dict[tuple[str, str], Lane] = field(default_factory=dict)
    copies: dict[tuple[str, int], list[tuple[str, Waiting]]] = field(default_factory=dict)
    lanes_of: dict[str, dict[str, None]] = field(default_factory=dict)
    arrivals: dict[tuple[str, str], Arrival] = field(default_factory=dict)
    arrivals_of: dict[str, dict[str, None]] = field(default_factory=dict)
    peers: dict[str, Peer] = field(default_factory=dict)
    silent: dict[str, int] = field(default_factory=dict)
    leaving: dict[str, EBHello | None] = field(default_factory=dict)
    crowded: bool = False
    numbers: dict[str, int] = field(default_factory=dict)
    retired: OrderedDict[str, int] = field(default_factory=OrderedDict)
    floor: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    last_id: int = 0
    sources_version: int = 1
    dropped: int = 0
    ahead_us: int = 0
    now_us: int = 0

    def attach(self, client: str, number: int) -> None:
        """Note whose a sink or a source is."""
        self.clients.setdefault(client, set()).add(number)

    def detach(self, client: str, number: int) -> None:
        """Note that a sink or a source is a client's no more."""
        numbers = self.clients.get(client, set())
        numbers.discard(number)
        if not numbers:
            self.clients.pop(client, None)

    def of_client(self, client: str) -> list[int]:
        """Return a client's sinks and sources, the oldest first."""
        return sorted(self.clients.get(client, ()))

    def expect(self, bus: str, now_us: int) -> bool:
        """Wait for a bus's sign of life, no longer than for that of one that is silent.

        Returns:
            Whether there is room for it.
        """
        if not self.has_room_for(bus):
            self.counters["refused_buses"] += 1
            return False
        if bus != self.id and bus not in self.peers:
            self.peers[bus] = Peer(0, 0, 0, now_us)
        return True

    def has_room_for(self, bus: str) -> bool:
        """Return whether a bus is known, or may become known."""
        known = len(self.peers) + len(self.leaving)
        return bus == self.id or bus in self.peers or known < self.settings.most_buses

    def retire(self, name: str) -> None:
        """Note that a name has no source any more: its number is known for a while."""
        if name in self.numbers:
            self.retired[name] = self.now_us

    def forget_number(self, name: str) -> int:
        """Forget the number of a name without a source, once that is long ago or too many are.

        Where the name comes back it begins above all that were forgotten: no number comes again.
        """
        since_us, settings = self.retired.get(name), self.settings
        if since_us is None:
            return 0
        is_over = self.now_us - since_us > settings.horizon_us
        if not is_over and len(self.retired) <= settings.most_numbers:
            return 0
        del self.retired[name]
        self.floor = max(self.floor, self.numbers.pop(name))
        self.counters["numbers_forgotten"] += 1
        return 1

    def add_remote(self, name: str, sink: RemoteSink) -> None:
        """Add a sink that has subscribed here, or replace it."""
        sinks, key = self.remote.setdefault(name, {}), (sink.bus, sink.id)
        self.remotes += key not in sinks
        sinks[key] = sink
        self.remote_of.setdefault(sink.bus, {})[name, sink.id] = sink

    def remove_remote(self, name: str, sink: RemoteSink) -> None:
        """Remove a sink that has subscribed here."""
        del self.remote[name][sink.bus, sink.id]
        del self.remote_of[sink.bus][name, sink.id]
        self.remotes -= 1
        if not self.remote[name]:
            del self.remote[name]
        if not self.remote_of[sink.bus]:
            del self.remote_of[sink.bus]

    def lane(self, name: str, bus: str) -> Lane:
        """Return the lane of a name to a bus, a new one where there is none."""
        lane = self.lanes.get((name, bus))
        if lane is None:
            lane = self.lanes[name, bus] = Lane(self.new_id())
            self.lanes_of.setdefault(bus, {})[name] = None
        return lane

    def remove_lane(self, name: str, bus: str) -> None:
        """Remove a lane."""
        del self.lanes[name, bus]
        _remove(self.lanes_of, bus, name)

    def add_arrival(self, origin: str, name: str, arrival: Arrival) -> None:
        """Add what comes in a lane, or replace it."""
        self.arrivals[origin, name] = arrival
        self.arrivals_of.setdefault(origin, {})[name] = None

    def remove_arrival(self, origin: str, name: str) -> None:
        """Remove what came in a lane."""
        del self.arrivals[origin, name]
        _remove(self.arrivals_of, origin, name)

    def new_id(self) -> int:
        """Return a number that this bus has not used, in no incarnation."""
        self.last_id = max(self.last_id + 1, self.incarnation)
        return self.last_id


def _remove(names_of: dict[str, dict[str, None]], bus: str, name: str) -> None:
    del names_of[bus][name]
    if not names_of[bus]:
        del names_of[bus]
