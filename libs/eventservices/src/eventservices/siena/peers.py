"""The other connections of a service, by their control messages; no sockets, no clock."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from eventservices.errors import MalformedError
from eventservices.siena.options import Options
from eventservices.siena.presence import Bye, Change, Entry, Key, Message, State, Who
from eventservices.siena.seen import Observer, Seen, seen_of, withdrawal

ASK_AGAIN_S = 1.0


@dataclass(slots=True)
class Peer:
    """One other connection.

    Attributes:
        who: As it was sent last; `who.version` may be ahead of `version`.
        version: Up to which its entries are known; -1 before the first state.
        heard_s: When it was received last, monotonic seconds.
        asked_s: When its state was requested last.
        entries: What its parties declared.
        parts: Parts of a state that is not complete yet.
    """

    who: Who
    version: int
    heard_s: float
    asked_s: float = float("-inf")
    entries: dict[Key, Seen] = field(default_factory=dict)
    parts: dict[int, State] = field(default_factory=dict)


class Peers:
    """A bounded table of the other connections.

    Args:
        options: Bounds and times.
        observers: Called for each change, in order.

    Attributes:
        left_out: Connections and entries that found no place.
        malformed: Entries whose filter was none.
        died: Connections removed because their digests were missed.
    """

    def __init__(self, options: Options, observers: list[Observer]) -> None:
        self._options = options
        self._observers = observers
        self._peers: dict[str, Peer] = {}
        self._count = 0
        self.left_out = 0
        self.malformed = 0
        self.died = 0

    def __len__(self) -> int:
        """Return how many other connections are known."""
        return len(self._peers)

    def __iter__(self) -> Iterator[Peer]:
        """Iterate over the other connections."""
        return iter(tuple(self._peers.values()))

    def current(self) -> list[Seen]:
        """Return all that is declared now."""
        return [seen for peer in self._peers.values() for seen in peer.entries.values()]

    def on_server(self, server: str) -> list[str]:
        """Return the connections at a server, the one received last first."""
        found = [peer for peer in self._peers.values() if peer.who.server == server]
        found.sort(key=lambda peer: -peer.heard_s)
        return [peer.who.connection for peer in found]

    @property
    def complete(self) -> bool:
        """Whether all that the known connections declared is known."""
        return all(peer.version >= peer.who.version for peer in self._peers.values())

    @property
    def servers(self) -> set[str]:
        """Servers that other connections are at."""
        return {peer.who.server for peer in self._peers.values()}

    def hear(self, message: Message, now_s: float) -> bool:
        """Accept a message of another connection.

        Args:
            message: What it sent.
            now_s: Monotonic seconds.

        Returns:
            Whether its state must be requested.
        """
        if isinstance(message, Bye):
            self._remove(message.who.connection)
            return False
        peer = self._peer(message.who, now_s)
        if peer is None:
            return False
        if isinstance(message, Change) and message.who.version == peer.version + 1:
            self._change(peer, message)
        elif isinstance(message, State) and message.who.version > peer.version:
            self._state(peer, message)
        return self._behind(peer, now_s)

    def sweep(self, now_s: float) -> None:
        """Remove the connections whose digests were missed."""
        patience_s = self._options.digest_interval_s * (self._options.missed_digests + 0.5)
        for connection, peer in list(self._peers.items()):
            if now_s - peer.heard_s > patience_s:
                self.died += 1
                self._remove(connection)

    def spare(self, now_s: float) -> None:
        """Count nobody's silence before now: it was ourselves who could not receive."""
        for peer in self._peers.values():
            peer.heard_s = now_s

    def _peer(self, who: Who, now_s: float) -> Peer | None:
        peer = self._peers.get(who.connection)
        if peer is None:
            if len(self._peers) >= self._options.max_peers:
                self.left_out += 1
                return None
            # A connection without any change yet has nothing that would have to be queried.
            peer = Peer(who, 0 if who.version == 0 else -1, now_s)
            self._peers[who.connection] = peer
        peer.heard_s = now_s
        if who.version >= peer.who.version:
            peer.who = who
        return peer

    def _behind(self, peer: Peer, now_s: float) -> bool:
        if peer.version >= peer.who.version or now_s - peer.asked_s < ASK_AGAIN_S:
            return False
        peer.asked_s = now_s
        return True

    def _change(self, peer: Peer, change: Change) -> None:
        peer.version = change.who.version
        for entry in change.removed:
            self._drop(peer, entry.key)
        for entry in change.added:
            self._keep(peer, entry)

    def _state(self, peer: Peer, state: State) -> None:
        if any(part.who.version != state.who.version for part in peer.parts.values()):
            peer.parts.clear()
        if state.part >= state.parts:
            self.left_out += len(state.entries)
            return
        room = self._options.max_entries - sum(len(part.entries) for part in peer.parts.values())
        self.left_out += max(0, len(state.entries) - room)
        peer.parts[state.part] = replace(state, entries=state.entries[:room])
        if len(peer.parts) < state.parts:
            return
        entries = [entry for part in peer.parts.values() for entry in part.entries]
        peer.parts.clear()
        peer.version = state.who.version
        wanted = {entry.key for entry in entries}
        for key in [key for key in peer.entries if key not in wanted]:
            self._drop(peer, key)
        for entry in entries:
            self._keep(peer, entry)

    def _keep(self, peer: Peer, entry: Entry) -> None:
        if entry.key in peer.entries:
            return
        if self._count >= self._options.max_entries:
            self.left_out += 1
            return
        try:
            seen = seen_of(entry, peer.who.connection)
        except MalformedError:
            self.malformed += 1
            return
        peer.entries[entry.key] = seen
        self._count += 1
        self._tell(seen)

    def _drop(self, peer: Peer, key: Key) -> None:
        seen = peer.entries.pop(key, None)
        if seen is not None:
            self._count -= 1
            self._tell(withdrawal(seen))

    def _remove(self, connection: str) -> None:
        peer = self._peers.pop(connection, None)
        if peer is not None:
            for key in list(peer.entries):
                self._drop(peer, key)

    def _tell(self, seen: Seen) -> None:
        for observer in tuple(self._observers):
            observer(seen)
