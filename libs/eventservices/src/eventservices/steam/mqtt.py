"""One MQTT connection, 3.1.1 or 5, for as long as it lasts: all that touches gmqtt.

gmqtt reconnects by itself, with a session that is no longer clean, and forgets subscriptions; here
it does not. A connection that was lost is over, and `link` makes a new one.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import gmqtt

from eventservices.errors import NotConnectedError, RefusedError
from eventservices.secure import client_context, ended_early, handshake_fault
from eventservices.steam.properties import variable
from eventservices.steam.settings import Address

PROTOCOL = 4
"""MQTT 3.1.1."""

PROTOCOL_5 = 5
"""MQTT 5."""

SHARED = "$share/"
"""Begins a subscription that several clients share."""

_NEVER = -2  # for gmqtt -1 means for ever, and 0 means once
_CLOSE_S = 1.0
_REFUSED = {1, 2, 4, 5}

_quiet = logging.Logger("gmqtt")  # noqa: LOG001 - kept apart from the tree: `link` logs what counts
_quiet.disabled = True

OnSubscribed = Callable[[int, Sequence[int]], None]


class OnMessage(Protocol):
    """Called with topic, payload and properties of a message; must not raise.

    `retain` of the properties states whether the broker had kept it.
    """

    def __call__(self, topic: str | bytes, payload: bytes, properties: Mapping[str, Any]) -> None:
        """Accept a message."""


class MqttConnection:
    """Talks to a broker over one connection.

    Attributes:
        lost: Set when it has ended.
        aborted: Whether this end ended it.
        unsent: Messages that were accepted and that it ended before.
        echoed: Topic on which it gets what it publishes itself.

    Args:
        client_id: Unique among the broker's clients.
        keepalive_s: MQTT keep-alive.
        on_message: Is called with each message.
        on_subscribed: Is called with the packet identifier of a SUBSCRIBE and its return codes.
        version: `PROTOCOL` or `PROTOCOL_5`.
    """

    def __init__(
        self,
        client_id: str,
        keepalive_s: int,
        on_message: OnMessage,
        on_subscribed: OnSubscribed,
        version: int = PROTOCOL,
    ) -> None:
        self._version = version
        self.lost = asyncio.Event()
        self.aborted = False
        self.unsent = 0
        self.echoed = ""
        self._keepalive_s = keepalive_s
        self._transport: Any = None
        self._corked: list[bytes] = []
        self._corked_bytes = 0
        self._client = gmqtt.Client(client_id, clean_session=True, logger=_quiet)
        self._client.set_config({"reconnect_retries": _NEVER})
        self._client.on_message = lambda _, topic, payload, __, told: on_message(
            topic, payload, told
        )
        self._client.on_subscribe = lambda _, mid, codes, __: on_subscribed(mid, codes)
        self._client.on_disconnect = lambda *_: self.lost.set()

    async def open(self, address: Address) -> None:
        """Connect, and return once the broker has accepted.

        Raises:
            RefusedError: The broker does not accept this client, or a file is not what it should
                be.
            NotConnectedError: The broker cannot be reached or ended the connection.
        """
        if address.user is not None:
            self._client.set_auth_credentials(address.user, address.password)
        attempt = asyncio.ensure_future(self._connect(address))
        ended = asyncio.ensure_future(self.lost.wait())
        try:
            await asyncio.wait({attempt, ended}, return_when=asyncio.FIRST_COMPLETED)
            _outcome(attempt, address)
        except BaseException:
            self.abort()
            raise
        finally:
            attempt.cancel()
            ended.cancel()

    async def _connect(self, address: Address) -> None:
        secure = await client_context(address.access) if address.secure else False
        try:
            await self._client.connect(
                address.host,
                address.port,
                ssl=secure,
                keepalive=self._keepalive_s,
                version=self._version,
            )
        except gmqtt.mqtt.handler.MQTTConnectError as error:
            kind = RefusedError if error.args and error.args[0] in _REFUSED else NotConnectedError
            raise kind(f"the broker refused the connection: {error}") from error
        except OSError as error:
            ca_file = address.access.ca_file
            fault = handshake_fault(error, address.shown, ca_file, secure=address.secure)
            raise NotConnectedError(fault or f"no broker at {address.shown}") from error
        self._transport = self._client._connection._transport  # noqa: SLF001 - gmqtt has no public access to it
        _without_delay(self._transport)

    @property
    def ends(self) -> bool:
        """Whether the connection was lost, or is about to."""
        return self.lost.is_set() or self._transport is None or self._transport.is_closing()

    @property
    def backlog_bytes(self) -> int:
        """Bytes that the socket has not accepted yet."""
        size: int = self._transport.get_write_buffer_size()
        return size + self._corked_bytes

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, properties: bytes = b"\0"
    ) -> None:
        """Send a message at QoS 0, together with all others of this turn of the loop.

        A write for each message costs more than everything else that is done for it, here and at
        the broker, which is woken for each.
        """
        if not self._corked:
            asyncio.get_running_loop().call_soon(self._uncork)
        told = properties if self._version == PROTOCOL_5 else b""
        packet = publish_packet(topic.encode(), payload, retain=retain, properties=told)
        self._corked.append(packet)
        self._corked_bytes += len(packet)

    def _uncork(self) -> None:
        packets, self._corked, self._corked_bytes = self._corked, [], 0
        if packets and self.ends:
            self.unsent += len(packets)
        elif packets:
            self._transport.write(b"".join(packets))

    def subscribe(self, topics: Sequence[str]) -> int:
        """Request topics at QoS 0, and return the packet identifier."""
        mid: int = self._client.subscribe([self._subscription(topic) for topic in topics])
        # gmqtt searches this list at every SUBACK; `link` keeps its own.
        self._client.subscriptions.clear()
        return mid

    def _subscription(self, topic: str) -> gmqtt.Subscription:
        """Return how a topic is requested: not to what this client publishes, where 5 allows it.

        Source:
            MQTT 5.0, section 3.8.3.1; a shared subscription has no such option.
        """
        if self._version != PROTOCOL_5:
            return gmqtt.Subscription(topic)
        alone = not topic.startswith(SHARED) and topic != self.echoed
        return gmqtt.Subscription(topic, no_local=alone, retain_as_published=True)

    def unsubscribe(self, topics: Sequence[str]) -> None:
        """Request topics no more."""
        self._client.unsubscribe(list(topics))

    async def close(self) -> None:
        """Disconnect from the broker, at once where it does not answer."""
        if not self.ends:
            try:
                self._uncork()
                async with asyncio.timeout(_CLOSE_S):
                    await self._client.disconnect()
            except (TimeoutError, OSError):
                pass
        self.abort()

    def abort(self) -> None:
        """End the connection at once; what has not been sent is dropped."""
        self.aborted = self.aborted or not self.lost.is_set()
        self.lost.set()
        self._uncork()
        connection = self._client._connection  # noqa: SLF001 - gmqtt has no public access to it
        if connection is not None:
            connection._transport.abort()  # noqa: SLF001 - closing would wait for a peer that is deaf


def publish_packet(
    topic: bytes, payload: bytes, *, retain: bool = False, properties: bytes = b""
) -> bytes:
    """Return an MQTT PUBLISH packet at QoS 0.

    Args:
        topic: UTF-8.
        payload: Its bytes.
        retain: Whether the broker keeps it as the topic's last.
        properties: Of MQTT 5, with their length; empty for 3.1.1.

    Source:
        MQTT 3.1.1, sections 2.2.3 (remaining length) and 3.3; MQTT 5.0, section 3.3.
    """
    left = variable(2 + len(topic) + len(properties) + len(payload))
    kind = b"\x31" if retain else b"\x30"
    return b"".join((kind, left, len(topic).to_bytes(2), topic, properties, payload))


def _outcome(attempt: asyncio.Future[None], address: Address) -> None:
    if not attempt.done():
        raise NotConnectedError(ended_early(address.shown, secure=address.secure))
    attempt.result()


def _without_delay(transport: Any) -> None:
    """Make sure that small packets leave at once (without it p99 is 20 to 40 ms)."""
    peer = transport.get_extra_info("socket")
    if peer is not None and not peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
