"""Which other buses there are: signs of life, and what ends with those that are silent.

Source:
    Smart-building thesis, section 5.2, "Monitor Thread"; that buses crash, too, it leaves open.
"""

from typing import Final

from eventservices.bus.core.effects import ALL
from eventservices.bus.core.grants import Grants
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.interest import Interest
from eventservices.bus.core.state import Peer, State
from eventservices.bus.wire.messages import EBHello

MOST_SILENT: Final = 10_000
"""Most silent buses of which something is kept; beyond, the one silent longest is forgotten."""


class Presence:
    """Keeps track of the other buses.

    Args:
        state: The bus's.
        interest: Ends what a bus that is gone had granted.
        grants: Ends what it was granted.
        incoming: Ends what came from it.
    """

    def __init__(
        self, state: State, interest: Interest, grants: Grants, incoming: Incoming
    ) -> None:
        self._state = state
        self._interest = interest
        self._grants = grants
        self._incoming = incoming
        self._hello_us = 0
        self._ticked_us = state.incarnation

    def restored(self, now_us: int) -> None:
        """Expect the buses of which something outlived a restart of this one."""
        state = self._state
        for sinks in state.remote.values():
            for sink in sinks.values():
                state.expect(sink.bus, now_us)
        for _, bus in state.lanes:
            state.expect(bus, now_us)
        for origin, _ in state.arrivals:
            state.expect(origin, now_us)

    def hello(self, bus: str, message: EBHello, now_us: int) -> None:
        """Accept a sign of life."""
        state = self._state
        peer = state.peers.get(bus)
        state.peers[bus] = Peer(message.incarnation, message.sources, message.dropped, now_us)
        state.silent.pop(bus, None)
        former = 0 if peer is None else peer.incarnation
        if message.incarnation != former:
            self._grants.bus_came(bus, message.incarnation, former)
        if message.incarnation < former:
            # Its clock was set back: the numbers of its lanes are smaller than they were.
            self._incoming.bus_gone(bus)
        if peer is None:
            # What it had granted before may have been another incarnation of it.
            self._interest.bus_changed(bus, now_us, lost=True)
            return
        lost = message.incarnation != peer.incarnation or message.dropped != peer.dropped
        if lost or message.sources != peer.sources:
            self._interest.bus_changed(bus, now_us, lost=lost)

    def gone(self, bus: str, now_us: int) -> None:
        """Clean up after a bus that ended, or crashed; its durable sinks stay for a while."""
        state = self._state
        state.peers.pop(bus, None)
        state.dropped += 1
        requested = self._interest.bus_gone(bus, now_us)
        stay = self._grants.bus_gone(bus, durable_too=False)
        self._incoming.bus_gone(bus)
        if requested or stay:
            state.silent.setdefault(bus, now_us)
        while len(state.silent) > MOST_SILENT:
            self._forget(next(iter(state.silent)))

    def tick(self, now_us: int) -> None:
        """Send a sign of life, and see which buses are silent."""
        state, settings = self._state, self._state.settings
        self._discount_pause(now_us)
        if now_us - self._hello_us >= settings.hello_us:
            self._hello_us = now_us
            hello = EBHello(state.incarnation, state.sources_version, state.dropped)
            state.effects.send(ALL, hello)
        # One of each with a tick: many that crash at once would keep the event loop waiting.
        for bus, peer in state.peers.items():
            if now_us - peer.heard_us > settings.silent_us:
                state.counters["buses_cleaned"] += 1
                self.gone(bus, now_us)
                break
        for bus, since_us in state.silent.items():
            if now_us - since_us > settings.horizon_us:
                self._forget(bus)
                break

    def _discount_pause(self, now_us: int) -> None:
        """Let nobody be silent for the time that this bus itself was halted, and received nothing.

        It would else end what all others have here, with the first turn after it goes on.
        """
        pause_us, self._ticked_us = now_us - self._ticked_us, now_us
        if pause_us <= self._state.settings.hello_us:
            return
        self._state.counters["pauses"] += 1
        for peer in self._state.peers.values():
            peer.heard_us = min(now_us, peer.heard_us + pause_us)

    def _forget(self, bus: str) -> None:
        del self._state.silent[bus]
        self._state.counters["buses_forgotten"] += 1
        self._grants.bus_gone(bus, durable_too=True)
        self._interest.forget(bus)
