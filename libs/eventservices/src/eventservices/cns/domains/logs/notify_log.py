"""A log as a member of a domain: what comes to its channel is logged.

Source:
    OMG Telecom Log Service 1.1.2, `DsNotifyLogAdmin::NotifyLog`: a log that is an event channel.
"""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from eventservices.cns.background import Background
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.moving.handles import Handle
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.event import StructuredEvent, as_any
from eventservices.cns.options import ClientType
from eventservices.cns.pull_suppliers import StructuredProxyPullSupplier
from eventservices.ending import ended
from eventservices.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eventservices.cns.channel import EventChannel

BURST: Final = 64
OWN_EVENTS: Final = ".log-events"
"""What is put behind a channel's name for the channel of its log's own events."""

_STRUCTURED: Final = ClientType.STRUCTURED_EVENT


class NotifyLog:
    """Logs the events of a channel as they come.

    Persistent events wait for the log at the broker, and are finished once they are logged.

    Args:
        log: The log.
        handle: Its channel.
        name: Names the log at the broker; the same over a restart.

    Attributes:
        log: The log.
    """

    def __init__(self, log: Log, handle: Handle, name: str) -> None:
        self.log = log
        self._handle = handle
        self._name = name
        self._background = Background()
        self._own: EventChannel | None = None
        self._report: Callable[[StructuredEvent], Awaitable[object]] | None = None
        self._proxy: StructuredProxyPullSupplier | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Log as soon as the channel is open."""
        work = lasting(self._run)
        self._task = asyncio.create_task(work, name=f"event-domain-{self._name}")

    async def start_now(self) -> None:
        """Log from now on; errors as of the channel's operations."""
        await self._connect()
        self.start()

    async def close(self) -> None:
        """Log no more; what is persistent waits."""
        self.log.on_own_event = None
        await ended(self._task)
        if self._proxy is not None:
            await self._proxy.close()
        await self._background.close()
        if self._own is not None:
            await self._own.close()

    async def _run(self) -> None:
        proxy = self._proxy or await self._connect()
        try:
            while True:
                batch = await proxy.hold(BURST)
                for held in batch:
                    await self.log.log_event(as_any(held.event))
                await self.log.settle()
                for held in batch:
                    held.done()
                await asyncio.sleep(0)
        except DisconnectedError:
            self._proxy = None
            raise

    async def _connect(self) -> StructuredProxyPullSupplier:
        channel = await self._handle.wait()
        proxy = channel.default_consumer_admin.obtain_notification_pull_supplier(_STRUCTURED)
        durable = self._name if proxy.get_qos()["ConnectionReliability"] else ""
        await proxy.connect_structured_pull_consumer(announced=False, durable=durable)
        if self._own is not None:
            await self._own.close()  # of a connection that broke
        own = await channel.my_factory.open_channel(channel.name + OWN_EVENTS)
        reporting = own.default_supplier_admin.obtain_notification_push_consumer(_STRUCTURED)
        await reporting.connect_structured_push_supplier()
        self._own, self._report, self._proxy = own, reporting.push_structured_event, proxy
        self.log.on_own_event = self._on_own_event
        return proxy

    def _on_own_event(self, event: StructuredEvent) -> None:
        self._background.start(self._push(event))

    async def _push(self, event: StructuredEvent) -> None:
        if self._report is not None:
            with contextlib.suppress(ConnectionError):  # the log itself remembers it
                await self._report(event)
