"""Rows of the store: what outlives a restart, and how it is read back."""

from collections.abc import Mapping

import msgspec

from eventservices.bus.core.state import Arrival, Lane, RemoteSink, Sink, State, Waiting
from eventservices.bus.filters import Filter
from eventservices.bus.wire.messages import Event

SEPARATOR = "\t"
_SINK, _REMOTE, _EVENT, _ARRIVAL, _INBOX, _SEEN = (
    "sink",
    "remote",
    "event",
    "arrival",
    "inbox",
    "seen",
)


class SinkRow(msgspec.Struct, frozen=True, array_like=True):
    """A durable sink."""

    name: str
    filter: Filter | None
    user: str
    device: str
    durable: str
    version: int


class RemoteRow(msgspec.Struct, frozen=True, array_like=True):
    """A durable sink of another bus's."""

    version: int
    filter: Filter | None
    user: str
    device: str


class EventRow(msgspec.Struct, frozen=True, array_like=True):
    """A persistent event, and who has not confirmed it."""

    event: Event
    sinks: dict[str, tuple[int, ...]]


class InboxRow(msgspec.Struct, frozen=True, array_like=True):
    """A persistent event that waits for a durable sink."""

    origin: str
    event: Event


def _key(*parts: object) -> str:
    return SEPARATOR.join(map(str, parts))


def _put(state: State, key: str, row: object) -> None:
    state.effects.rows[key] = None if row is None else msgspec.msgpack.encode(row)


def put_sink(state: State, sink: Sink) -> None:
    """Store a durable sink."""
    row = SinkRow(sink.name, sink.filter, sink.user, sink.device, sink.durable, sink.version)
    _put(state, _key(_SINK, sink.id), row)


def drop_sink(state: State, sink: Sink) -> None:
    """Delete a durable sink, with what waits for it."""
    _put(state, _key(_SINK, sink.id), None)
    for origin, epoch, home in sink.floors:
        _put(state, _key(_SEEN, sink.id, origin, epoch, home), None)
    for serial, _, _ in sink.queue:
        drop_inbox(state, sink, serial)


def put_remote(state: State, name: str, sink: RemoteSink) -> None:
    """Store another bus's durable sink."""
    row = RemoteRow(sink.version, sink.filter, sink.user, sink.device)
    _put(state, _key(_REMOTE, name, sink.bus, sink.id), row)


def drop_remote(state: State, name: str, sink: RemoteSink) -> None:
    """Delete another bus's durable sink."""
    _put(state, _key(_REMOTE, name, sink.bus, sink.id), None)


def append(state: State, bus: str, lane: Lane, waiting: Waiting) -> None:
    """Append a message to a lane, of which a persistent event is a copy."""
    lane.items.append(waiting)
    lane.last = waiting.number
    event = waiting.event
    if event.persistent:
        state.copies.setdefault((event.name, waiting.event_number), []).append((bus, waiting))


def drop_copy(state: State, waiting: Waiting) -> None:
    """Store of a persistent event what is left where a message left its lane."""
    event, key = waiting.event, (waiting.event.name, waiting.event_number)
    if event.persistent:
        left = [each for each in state.copies.pop(key, ()) if each[1] is not waiting]
        if left:
            state.copies[key] = left
        put_event(state, waiting.event_number, event)


def put_event(state: State, number: int, event: Event) -> None:
    """Store a persistent event with the buses that have still to confirm it; none deletes it."""
    sinks: dict[str, tuple[int, ...]] = {}
    for bus, item in state.copies.get((event.name, number), ()):
        # A bus has a second one for a sink that had waited for it.
        sinks[bus] = (*sinks.get(bus, ()), *item.sinks)
    _put(state, _key(_EVENT, event.name, number), EventRow(event, sinks) if sinks else None)


def put_arrival(state: State, origin: str, name: str, arrival: Arrival) -> None:
    """Store how far a lane was accepted."""
    _put(state, _key(_ARRIVAL, origin, name), (arrival.lane, arrival.last))


def drop_arrival(state: State, origin: str, name: str) -> None:
    """Delete how far a lane was accepted."""
    _put(state, _key(_ARRIVAL, origin, name), None)


def put_inbox(state: State, sink: Sink, serial: int, origin: str, event: Event) -> None:
    """Store an event that waits for a sink, and that the sink has had it."""
    stamp = event.stamp
    sink.floors[stamp.origin, stamp.epoch, stamp.home] = stamp.sequence
    _put(state, _key(_SEEN, sink.id, stamp.origin, stamp.epoch, stamp.home), stamp.sequence)
    _put(state, _key(_INBOX, sink.id, serial), InboxRow(origin, event))


def drop_inbox(state: State, sink: Sink, serial: int) -> None:
    """Delete an event that waited for a sink."""
    _put(state, _key(_INBOX, sink.id, serial), None)


def restore(state: State, rows: Mapping[str, bytes], now_us: int) -> None:
    """Restore what was stored before a restart.

    Raises:
        msgspec.DecodeError: A row is not what was stored.
    """
    stored: dict[str, list[tuple[list[str], bytes]]] = {}
    for key, value in rows.items():
        kind, *place = key.split(SEPARATOR)
        stored.setdefault(kind, []).append((place, value))
    for (number,), value in stored.get(_SINK, ()):
        _restore_sink(state, int(number), value, now_us)
    for (name, bus, number), value in stored.get(_REMOTE, ()):
        _restore_remote(state, name, bus, int(number), value)
    for (origin, name), value in stored.get(_ARRIVAL, ()):
        lane, last = msgspec.msgpack.decode(value, type=tuple[int, int])
        state.add_arrival(origin, name, Arrival(lane, last, started=True))
    for (number, origin, epoch, home), value in stored.get(_SEEN, ()):
        sink = state.sinks.get(int(number))
        if sink is not None:
            sink.floors[origin, int(epoch), home] = msgspec.msgpack.decode(value, type=int)
    inboxes = [(int(sink), int(serial), value) for (sink, serial), value in stored.get(_INBOX, ())]
    for owner, serial, value in sorted(inboxes):
        _restore_inbox(state, owner, serial, value)
    events = [(name, int(number), value) for (name, number), value in stored.get(_EVENT, ())]
    for name, event_number, value in sorted(events):
        row = msgspec.msgpack.decode(value, type=EventRow)
        _restore_event(state, name, event_number, row, now_us)


def _restore_inbox(state: State, owner: int, serial: int, value: bytes) -> None:
    row = msgspec.msgpack.decode(value, type=InboxRow)
    if owner in state.sinks:
        state.sinks[owner].queue.append((serial, row.origin, row.event))
        state.last_id = max(state.last_id, serial)


def _restore_remote(state: State, name: str, bus: str, number: int, value: bytes) -> None:
    row = msgspec.msgpack.decode(value, type=RemoteRow)
    sink = RemoteSink(bus, number, row.version, row.filter, row.user, row.device, durable=True)
    state.add_remote(name, sink)


def _restore_sink(state: State, number: int, value: bytes, now_us: int) -> None:
    row = msgspec.msgpack.decode(value, type=SinkRow)
    sink = Sink(number, row.name, row.filter, row.user, row.device, "", row.durable, row.version)
    sink.away_us = now_us
    state.last_id = max(state.last_id, number, row.version)
    state.sinks[number] = sink
    state.requested.setdefault(row.name, set()).add(number)


def _restore_event(state: State, name: str, number: int, row: EventRow, now_us: int) -> None:
    state.numbers[name] = max(state.numbers.get(name, 0), number)
    state.retired[name] = now_us
    for bus, stored in row.sinks.items():
        sinks = stored
        if state.settings.policy:
            # A right that was withdrawn just before may not have been removed from the event yet.
            sinks = tuple(each for each in stored if (bus, each) in state.remote.get(name, {}))
        lane = state.lane(name, bus)
        append(state, bus, lane, Waiting(lane.last + 1, number, lane.last, sinks, row.event))
