"""Fan-out: one MQTT subscription a topic, whatever the number of nodes that listen."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from serving.clocks import wall_us

from eventservices.errors import MalformedError
from eventservices.steam.codec import decode_announcement, decode_membership, decode_notification
from eventservices.steam.counters import Counters
from eventservices.steam.link import Acknowledged, Link
from eventservices.steam.topics import ANY, Kind, encode_level, subject_level, wildcards

KEPT_MALFORMED = 100
"""Malformed messages that are set aside; the oldest is dropped first."""

KEPT_BYTES = 65_536
"""Bytes that are kept of each."""

_log = logging.getLogger(__name__)

Listener = Callable[[Any], None]
"""Is called with the decoded message."""

OnMalformed = Callable[[str, bytes], None]
"""Accepts the reason why a message was set aside, and its payload; must not raise."""

_DECODERS: dict[Kind, Callable[[bytes], Any]] = {
    "event": decode_notification,
    "beacon": decode_announcement,
    "group": decode_membership,
}


@dataclass(frozen=True, slots=True)
class SetAside:
    """A message that could not be understood.

    Attributes:
        topic: Where it came from.
        payload: Its first `KEPT_BYTES` bytes.
        reason: What is wrong with it.
        wall_us: When it came; wall clock, microseconds since 1970 UTC.
    """

    topic: str
    payload: bytes
    reason: str
    wall_us: int


@dataclass(slots=True)
class _Entry:
    kind: Kind
    listeners: tuple[Listener, ...]


class Fanout:
    """Passes each message of a link to the listeners of its topic.

    Args:
        counters: Counts what is malformed or unclaimed, and callbacks that raise.
        set_aside: Keeps malformed messages.
        watchers: The first of them is notified of each malformed message.

    Attributes:
        delivered: Messages that the broker brought.
    """

    def __init__(
        self,
        counters: Counters,
        set_aside: deque[SetAside],
        watchers: Sequence[OnMalformed] = (),
    ) -> None:
        self.delivered = 0
        self._counters = counters
        self._set_aside = set_aside
        self._watchers = watchers
        self._link: Link | None = None
        self._entries: dict[str, _Entry] = {}
        self._wild: Counter[Kind] = Counter()

    def attach(self, link: Link) -> None:
        """Set the link that makes the subscriptions."""
        self._link = link

    def join(self, kind: Kind, topics: Iterable[str], listener: Listener) -> list[Acknowledged]:
        """Listen to topics.

        Returns:
            The broker's replies, also for topics that others listen to already.

        Raises:
            RefusedError: More topics are requested than the settings allow.
        """
        wanted = list(topics)
        replies = self._link.subscribe(wanted) if self._link else []
        for topic in wanted:
            entry = self._entries.get(topic)
            if entry is None:
                self._entries[topic] = _Entry(kind, (listener,))
                self._wild[kind] += topic.endswith((ANY, "#"))
            elif listener not in entry.listeners:
                entry.listeners = (*entry.listeners, listener)
        return replies

    def leave(self, topics: Iterable[str], listener: Listener) -> None:
        """Listen to topics no more."""
        empty = [topic for topic in topics if self._left(topic, listener)]
        for topic in empty:
            entry = self._entries.pop(topic)
            self._wild[entry.kind] -= topic.endswith((ANY, "#"))
        if empty and self._link is not None:
            self._link.unsubscribe(empty)

    def _left(self, topic: str, listener: Listener) -> bool:
        entry = self._entries.get(topic)
        if entry is None:
            return False
        entry.listeners = tuple(other for other in entry.listeners if other != listener)
        return not entry.listeners

    def deliver(self, topic: str | bytes, payload: bytes) -> None:
        """Decode a message once and pass it to every listener; never raises."""
        self.delivered += 1
        try:
            self._deliver(topic, payload)
        except MalformedError as error:
            self._put_aside(topic, payload, str(error))

    def _deliver(self, topic: str | bytes, payload: bytes) -> None:
        if not isinstance(topic, str):
            raise MalformedError("topic is not UTF-8 text")
        entry = self._entries.get(topic)
        if self._wild[entry.kind] if entry else self._wild.total():
            entry = self._with_wildcards(topic, entry)
        if entry is None:
            self._counters.unclaimed += 1
            return
        message = _DECODERS[entry.kind](payload)
        if encode_level(message.subject) != subject_level(topic):
            raise MalformedError(f"subject {message.subject!r} is not the topic's")
        for listener in entry.listeners:
            self._call(listener, message)

    def _call(self, function: Callable[..., None], *given: object) -> None:
        try:
            function(*given)
        except Exception:  # noqa: BLE001 - neither the connection nor the next listener suffers
            self._counters.callback_errors += 1
            _log.exception("message not delivered")

    def _with_wildcards(self, topic: str, exact: _Entry | None) -> _Entry | None:
        if topic.count("/") != 3:
            raise MalformedError("topic has not four levels")
        found = [self._entries.get(pattern) for pattern in wildcards(topic)]
        entries = [entry for entry in (exact, *found) if entry is not None]
        if not entries:
            return None
        listeners = dict.fromkeys(one for entry in entries for one in entry.listeners)
        return _Entry(entries[0].kind, tuple(listeners))

    def _put_aside(self, topic: str | bytes, payload: bytes, reason: str) -> None:
        self._counters.malformed += 1
        name = topic if isinstance(topic, str) else topic.decode("utf-8", "backslashreplace")
        at_us = wall_us()
        self._set_aside.append(SetAside(name, payload[:KEPT_BYTES], reason, at_us))
        if self._watchers:
            self._call(self._watchers[0], reason, payload)
