"""Messages from the broker to the gateway, without copies and without what is known already."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from eventservices.stamp import HEADER
from eventservices.steam.link import Link
from eventservices.steam.properties import Properties
from fes.mapping.topics.routes import Routes

from adapter_mqtt.memory import Last, Own, key_of
from adapter_mqtt.retained import RetainedTopics
from adapter_mqtt.settings import Settings
from adapter_mqtt.subscriptions import Subscriptions

NOTHING: Final = Properties()
KEPT_BY_BROKER: Final = Properties(retained=True)

KEPT_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of retained messages that wait until their subscription is active; more are
dropped."""

COUNTED: Final = (
    "own",
    "retained",
    "retained_known",
    "retained_deleted",
    "retained_dropped",
)


class MqttMessage(NamedTuple):
    """A message from the native client.

    Attributes:
        topic: The topic at the broker; bytes where it is not UTF-8.
        payload: Its bytes.
        properties: The properties beside the payload; in 3.1.1, whether the broker had kept it.
    """

    topic: str | bytes
    payload: bytes
    properties: Properties = NOTHING


class Incoming:
    """Passes each message to the gateway once, and none that the adapter published itself.

    Args:
        settings: The adapter's settings.
        routes: The compiled routes.
        receive: Accepts the messages.

    Attributes:
        own: Publications that a broker of 3.1.1 is going to send back.
        last: The last message of each topic.
        topics: With `5`: the topics for which the broker keeps a message.
        subscribing: Whether a subscription is being made that the runtime does not know yet.
        counts: Counters of the messages, by name.
    """

    def __init__(
        self, settings: Settings, routes: Routes, receive: Callable[[MqttMessage], None]
    ) -> None:
        self.own, self.last = Own(settings.own_s), Last()
        self.subscribing = False
        self.counts = dict.fromkeys(COUNTED, 0)
        self._settings = settings
        self._routes = routes
        self._receive = receive
        self._is_5 = settings.protocol == "5"
        self.topics = RetainedTopics()
        self._resent = True
        self._reconnections = 0
        self._kept: list[MqttMessage] = []
        self._kept_bytes = 0

    def begin(self, link: Link, subscriptions: Subscriptions) -> None:
        """Use a connection, before it is opened."""
        self._link = link
        self._subscriptions = subscriptions
        self._reconnections = 0

    def take_live(self, topic: str | bytes, payload: bytes) -> None:
        """Accept a message of 3.1.1."""
        key = key_of(str(topic), payload)
        self.forget_lost()
        self.last.note(key)
        if self._subscriptions.is_copy(key):
            return
        if self.own.is_own(key, asyncio.get_running_loop().time()):
            self.counts["own"] += 1
            return
        self._receive(MqttMessage(topic, payload))

    def take_5(self, topic: str | bytes, payload: bytes, properties: Properties) -> None:
        """Accept a message of 5."""
        self.forget_lost()
        message = MqttMessage(topic, payload, properties)
        key = key_of(str(topic), payload)
        is_known = self.last.is_known(key)
        self.last.note(key)
        if self._subscriptions.is_copy(key):
            return
        if not properties.retained or isinstance(topic, bytes):
            self._receive(message)
            return
        if payload:
            self.topics.kept(topic)
        elif not self.topics.deleted(topic):
            self.counts["retained_known"] += 1  # a deletion of what was never delivered
            return
        if self.subscribing or not self._resent:
            # The broker sends again what it keeps: what came from the federation is known there.
            if is_known or any(name == HEADER for name, _ in properties.user):
                self.counts["retained_known"] += 1
                return
            if self.subscribing:
                self._keep(message)
                return
        self.counts["retained"] += 1
        self._receive(message)

    def take_retained(self, topic: str | bytes, payload: bytes) -> None:
        """Accept a message of 3.1.1 that the broker had kept."""
        key = key_of(str(topic), payload)
        message = MqttMessage(topic, payload, KEPT_BY_BROKER)
        if self._is_ours(topic) or self.last.is_known(key):
            self.counts["retained_known"] += 1
        elif self.subscribing:
            self._keep(message)
        else:
            self.last.note(key)
            self.counts["retained"] += 1
            self._receive(message)

    def _keep(self, message: MqttMessage) -> None:
        self._kept_bytes += len(message.topic) + len(message.payload)
        if self._kept_bytes > KEPT_BYTES:
            self.counts["retained_dropped"] += 1
            return
        self._kept.append(message)

    def take_kept(self) -> None:
        """Pass on what the broker had kept, since the runtime knows the subscription now."""
        if not self.subscribing:
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            for message in kept:
                if self._is_5:
                    self.counts["retained"] += 1
                    self._receive(message)
                else:
                    self.take_retained(message.topic, message.payload)

    def _is_ours(self, topic: str | bytes) -> bool:
        """Return whether what the broker kept on a topic may be the adapter's own."""
        route = self._routes.route_at(str(topic))
        return route is not None and self._settings.routes[route].retain

    def proved(self) -> None:
        """Report what was deleted during an outage: the broker has sent all that it keeps."""
        self._resent = True
        for topic in self.topics.missing():
            self.counts["retained_deleted"] += 1
            self._receive(MqttMessage(topic, b"", KEPT_BY_BROKER))

    def forget_lost(self) -> None:
        """Forget what was expected over a connection that was lost."""
        if self._link.counters.reconnected != self._reconnections:
            self._reconnections = self._link.counters.reconnected
            self.own.lost()
            self.topics.away()
            self._resent = False
