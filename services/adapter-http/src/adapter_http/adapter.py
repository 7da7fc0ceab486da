"""The adapter of CloudEvents over HTTP, whose systems know nothing of the federation."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import httpx
from eventservices.credentials import read_password
from eventservices.ending import ended
from eventservices.errors import NotConnectedError
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.plain.sizes import check_size
from fes.control import CONTROL_SUBJECT
from fes.errors import FesError
from fes.federation.capabilities import Capabilities
from fes.mapping import Native
from fes.model import Event
from fes.payload.cloudevents_http import Item, write_request
from serving.loopback import async_client
from serving.server import HttpServer

from adapter_http import delivery
from adapter_http.allowed import AllowList
from adapter_http.codec import EventCodec
from adapter_http.delivery import Delivery, Request
from adapter_http.mapping import accepts
from adapter_http.settings import PAYLOAD_BYTES, Settings, Target
from adapter_http.webhook import Webhook

REQUEST_S: Final = 5.0
"""Longest wait for a connection, and for each part of an answer."""

REMEMBERED: Final = 10_000
"""Most identities of events without a stamp that are remembered; the oldest is forgotten first."""


@dataclass(slots=True)
class HttpMessage:
    """A CloudEvent that was posted.

    Attributes:
        item: The CloudEvent.
        reason: Why it is refused; "" once it is accepted.
    """

    item: Item
    reason: str = "internal error"


class HttpAdapter(Adapter[Settings, HttpMessage]):
    """Connects systems that post CloudEvents, and systems to which they are posted."""

    kind: ClassVar[str] = "http"
    settings_type = Settings
    stamp_setting: ClassVar[str] = "stamped"
    one_may_stamp: ClassVar[bool] = True

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._codec = EventCodec(self.settings.codec(context), self.id)
        self._known: dict[tuple[str, str], None] = {}
        self._counts = dict.fromkeys(("unstamped", "own", "repeated", *delivery.COUNTED), 0)

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what HTTP can do: systems that post have no filters."""
        return Capabilities(
            stamps=settings.stamped, suppresses=False, max_event_bytes=PAYLOAD_BYTES
        )

    @property
    def url(self) -> str:
        """URL of the webhook for a client on this machine, once connected."""
        return self._server.url + self.settings.path

    def _counted(self) -> dict[str, int]:
        return {
            **self._counts,
            **self._webhook.counts,
            "waiting": sum(map(len, self._deliveries)),
            "idle_ended": self._server.idle.ended,
        }

    async def _open(self) -> None:
        # Making a client reads certificates, which is too long for a turn of the loop.
        self._client = await asyncio.to_thread(async_client, REQUEST_S)
        self._closing.push_async_callback(self._client.aclose)
        allowed = AllowList(self.settings.allow)
        self._deliveries = [self._delivery(each, allowed) for each in self.settings.targets]
        tasks = [asyncio.create_task(each.run(), name="http post") for each in self._deliveries]
        self._closing.push_async_callback(ended, *tasks)
        secret = self._secret(self.settings.secret_file)
        self._webhook = Webhook(self.settings, secret, self._accept, self.set_aside)
        self._server = HttpServer(self._webhook, self.settings.host, self.settings.port)
        self._closing.push_async_callback(self._server.stop)
        await self._server.start()

    def _delivery(self, target: Target, allowed: AllowList) -> Delivery:
        return Delivery(
            target,
            self._client,
            allowed,
            token=self._secret(target.token_file),
            key=self._secret(target.signing_file).encode(),
            attempts=self.settings.attempts,
            retry_s=self.settings.retry_s,
            most=self.settings.queue,
            counts=self._counts,
        )

    def _secret(self, file: str) -> str:
        return read_password(Path(self.context.base) / file) if file else ""

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        self._post(*self._codec.write(native, stamp))

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        self._post(CONTROL_SUBJECT, self._codec.write_control(event, stamp))

    def _post(self, type_: str, structured: bytes) -> None:
        check_size(len(structured), self.settings.max_bytes)
        written: dict[str, Request] = {}
        for each in self._deliveries:
            mode = each.target.mode
            if accepts(each.target.types, type_):
                if mode not in written:
                    written[mode] = Request(*write_request(structured, mode))
                each.put(written[mode])

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        del subscription
        return ("all that is posted is received: HTTP has no subscriptions",)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        del subscription

    async def _probe(self) -> None:
        try:
            await self._client.options(self.url)
        except httpx.HTTPError as error:
            raise NotConnectedError(f"webhook: {error or type(error).__name__}") from error

    def _accept(self, item: Item) -> str:
        message = HttpMessage(item)
        self.receive(message)
        return message.reason

    def _read(self, message: HttpMessage) -> Received | ReceivedControl | None:
        try:
            found = self._codec.read(message.item.whole, message.item.raw)
        except FesError as error:
            message.reason = str(error)
            raise
        message.reason = ""
        self._counts["own"] += found.is_own
        received = found.received
        if not isinstance(received, Received) or received.stamp is not None:
            return received
        self._counts["unstamped"] += 1
        if self.settings.stamped:
            return None  # left to another gateway's adapter, which stamps it
        if found.identity in self._known:
            self._counts["repeated"] += 1
            return None  # posted again, since its answer was lost
        self._known[found.identity] = None
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return received

    def _raw(self, message: HttpMessage) -> bytes:
        return message.item.raw

    def _named(self, message: HttpMessage) -> str:
        whole = message.item.whole
        return str(whole.get("type", ""))[:100] if isinstance(whole, dict) else ""
