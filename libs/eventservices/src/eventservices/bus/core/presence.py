"""Which other buses there are: signs of life, and what ends with those that are silent.

Source:
    Smart-building thesis, section 5.2, "Monitor Thread"; that buses crash, too, it leaves open.
"""

from typing import Final

from eventservices.bus.core.effects import ALL
from eventservices.bus.core.grants import Grants
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.interest import Interest
from eventservices.bus.core.outgoing import SILENT_HELLOS, Outgoing
from eventservices.bus.core.portions import Work
from eventservices.bus.core.state import Peer, State
from eventservices.bus.wire.messages import EBHello, Message

MOST_SILENT: Final = 10_000
"""Most silent buses of which something is kept; beyond, the one silent longest is forgotten."""


class Presence:
    """Keeps track of the other buses.

    Args:
        state: The bus's.
        interest: Ends what a bus that is gone had granted.
        grants: Ends what it was granted.
        incoming: Ends what came from it.
        outgoing: Sends again what waits for a bus that is back.
    """

    def __init__(
        self,
        state: State,
        interest: Interest,
        grants: Grants,
        incoming: Incoming,
        outgoing: Outgoing,
    ) -> None:
        self._state = state
        self._interest = interest
        self._grants = grants
        self._incoming = incoming
        self._outgoing = outgoing
        self._came: dict[str, int] = {}
        self._hello_us = 0
        self._ticked_us = state.incarnation

    def restored(self, now_us: int) -> None:
        """Expect the buses of which something outlived a restart of this one."""
        state = self._state
        buses = dict.fromkeys([*state.remote_of, *state.lanes_of, *state.arrivals_of])
        for bus in buses:
            if bus != state.id:
                state.peers[bus] = Peer(0, 0, 0, now_us)

    def admits(self, bus: str, message: Message) -> bool:
        """Return whether a message is processed now; one that is not is sent again.

        Of a bus that is being cleaned up all is dropped but its last sign of life, which counts
        once that is done: no portion finds what came after another one.
        """
        state = self._state
        if bus in state.leaving:
            if isinstance(message, EBHello):
                state.leaving[bus] = message
            else:
                state.counters["dropped_while_cleaned"] += 1
            return False
        if state.has_room_for(bus):
            return True
        state.counters["refused_buses"] += 1
        return False

    def hello(self, bus: str, message: EBHello, now_us: int) -> None:
        """Accept a sign of life."""
        state = self._state
        peer = state.peers.pop(bus, None)  # the one that is silent longest is the first
        state.peers[bus] = Peer(message.incarnation, message.sources, message.dropped, now_us)
        state.silent.pop(bus, None)
        former = 0 if peer is None else peer.incarnation
        if message.incarnation != former:
            self._came[bus] = max(former, self._came.get(bus, 0))
            state.portions.add(("came", bus), lambda: self._bus_came(bus))
        if message.incarnation < former:
            # Its clock was set back: the numbers of its lanes are smaller than they were.
            for _ in self._incoming.bus_gone(bus):
                pass
        if peer is None or now_us - peer.heard_us > SILENT_HELLOS * state.settings.hello_us:
            self._outgoing.revive(bus, now_us)
        if peer is None:
            # What it had granted before may have been another incarnation of it.
            self._interest.bus_changed(bus, now_us, lost=True)
            return
        lost = message.incarnation != peer.incarnation or message.dropped != peer.dropped
        if lost or message.sources != peer.sources:
            self._interest.bus_changed(bus, now_us, lost=lost)

    def _bus_came(self, bus: str) -> Work:
        former, peer = self._came.pop(bus), self._state.peers.get(bus)
        if peer is not None:
            yield from self._grants.bus_came(bus, peer.incarnation, former)

    def gone(self, bus: str, now_us: int, *, silent: bool = False) -> None:
        """Clean up after a bus that ended, or crashed; its durable sinks stay for a while."""
        state = self._state
        if state.peers.pop(bus, None) is None:
            return
        state.dropped += 1
        state.now_us = now_us
        state.leaving[bus] = None
        state.portions.add(("gone", bus), lambda: self._clean(bus, now_us, silent=silent))

    def _clean(self, bus: str, since_us: int, *, silent: bool) -> Work:
        state = self._state
        yield from self._interest.bus_gone(bus)
        yield from self._grants.bus_gone(bus, durable_too=False)
        yield from self._incoming.bus_gone(bus)
        state.counters["buses_cleaned"] += silent
        if self._interest.requests_at(bus) or bus in state.remote_of:
            state.silent.setdefault(bus, since_us)
        self._left(bus)
        if len(state.silent) > MOST_SILENT:
            self._forget(next(iter(state.silent)))

    def _left(self, bus: str) -> None:
        """Go on with a bus that was cleaned up, and with what there was no room for before."""
        state = self._state
        hello = state.leaving.pop(bus)
        if hello is not None and self.admits(bus, hello):
            self.hello(bus, hello, state.now_us)
        if state.crowded:
            state.crowded = False
            self._interest.look_up_all()

    def tick(self, now_us: int) -> None:
        """Send a sign of life, and see which buses are silent."""
        state, settings = self._state, self._state.settings
        self._discount_pause(now_us)
        if now_us - self._hello_us >= settings.hello_us:
            self._hello_us = now_us
            hello = EBHello(state.incarnation, state.sources_version, state.dropped)
            state.effects.send(ALL, hello)
        # One of each with a tick: of many that crash at once each may still be back.
        for bus, peer in state.peers.items():
            if now_us - peer.heard_us <= settings.silent_us:
                break
            if bus not in state.leaving:
                self.gone(bus, now_us, silent=True)
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
        state = self._state
        if bus in state.leaving:
            return  # its turn comes again
        del state.silent[bus]
        state.leaving[bus] = None
        state.portions.add(("forget", bus), lambda: self._forgetting(bus))

    def _forgetting(self, bus: str) -> Work:
        yield from self._grants.bus_gone(bus, durable_too=True)
        yield from self._interest.forget(bus)
        self._state.counters["buses_forgotten"] += 1
        self._left(bus)
