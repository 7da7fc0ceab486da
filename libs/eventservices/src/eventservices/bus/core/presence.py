"""Which other buses there are: signs of life, and what ends with those that are silent.

Source:
    Smart-building thesis, section 5.2, "Monitor Thread"; that buses crash, too, it leaves open.
"""

from eventservices.bus.core.effects import ALL
from eventservices.bus.core.grants import Grants
from eventservices.bus.core.interest import Interest
from eventservices.bus.core.state import Peer, State
from eventservices.bus.wire.messages import EBHello


class Presence:
    """Keeps track of the other buses.

    Args:
        state: The bus's.
        interest: Ends what a bus that is gone had granted.
        grants: Ends what it was granted.
    """

    def __init__(self, state: State, interest: Interest, grants: Grants) -> None:
        self._state = state
        self._interest = interest
        self._grants = grants
        self._hello_us = 0

    def restored(self, now_us: int) -> None:
        """Expect the buses whose durable sinks outlived a restart of this one."""
        for sinks in self._state.remote.values():
            for sink in sinks.values():
                self._state.silent.setdefault(sink.bus, now_us)

    def hello(self, bus: str, message: EBHello, now_us: int) -> None:
        """Accept a sign of life."""
        state = self._state
        peer = state.peers.get(bus)
        state.peers[bus] = Peer(message.incarnation, message.sources, message.dropped, now_us)
        state.silent.pop(bus, None)
        if peer is None:
            # What it had granted before may have been another incarnation of it.
            self._interest.bus_changed(bus, now_us, lost=True)
            return
        lost = message.incarnation > peer.incarnation or message.dropped != peer.dropped
        if lost or message.sources != peer.sources:
            self._interest.bus_changed(bus, now_us, lost=lost)

    def gone(self, bus: str, now_us: int) -> None:
        """Clean up after a bus that ended, or crashed; its durable sinks stay for a while."""
        state = self._state
        state.peers.pop(bus, None)
        state.dropped += 1
        self._interest.bus_gone(bus, now_us)
        self._grants.bus_gone(bus, durable_too=False)
        if any(each.bus == bus for sinks in state.remote.values() for each in sinks.values()):
            state.silent.setdefault(bus, now_us)

    def tick(self, now_us: int) -> None:
        """Send a sign of life, and see which buses are silent."""
        state, settings = self._state, self._state.settings
        if now_us - self._hello_us >= settings.hello_us:
            self._hello_us = now_us
            hello = EBHello(state.incarnation, state.sources_version, state.dropped)
            state.effects.send(ALL, hello)
        for bus, peer in list(state.peers.items()):
            if now_us - peer.heard_us > settings.silent_us:
                state.counters["buses_cleaned"] += 1
                self.gone(bus, now_us)
        for bus, since_us in list(state.silent.items()):
            if now_us - since_us > settings.horizon_us:
                del state.silent[bus]
                self._grants.bus_gone(bus, durable_too=True)
