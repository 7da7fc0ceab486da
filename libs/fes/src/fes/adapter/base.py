"""The base of every adapter.

A new adapter is one class: it connects to its event service, publishes and announces events in
native form, subscribes to at least what a filter accepts, and reads what the native client
delivers. This base reads its settings, keeps its state, translates the errors of its native client,
shares connections, and sets aside what cannot be read. The runtime does the mapping, residual
filtering, stamps for what comes without one, limits, logs and counters.

Source:
    FES thesis, section 5.10; design, section 7.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, suppress
from typing import Any, Generic, TypeVar, cast, final

import msgspec
from eventservices.errors import EventServiceError
from eventservices.slices import shared_slice
from eventservices.stamp import Stamp as NativeStamp

from fes.adapter.context import AdapterContext, Received, Sink, Subscription
from fes.adapter.contract import AdapterContract, MessageT
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.settings import read_settings, setting_fault
from fes.errors import AdapterError, FesError, UnavailableError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event

_log = logging.getLogger(__name__)

SettingsT = TypeVar("SettingsT", bound=msgspec.Struct)
Result = TypeVar("Result")
Connection = TypeVar("Connection")


class Adapter(AdapterContract[MessageT], Generic[SettingsT, MessageT]):
    """Connects one event service to its gateway.

    Type parameters: the Struct of its settings, and the type of what its native client delivers.

    Args:
        context: Its identifiers, settings and surroundings.

    Attributes:
        settings: Its settings, checked.
        capabilities: What its event service can do with these settings.

    Raises:
        FederationError: A setting is not valid; the message names its key.
    """

    def __init__(self, context: AdapterContext) -> None:
        self.context = context
        self.settings: SettingsT = read_settings(
            context.service, context.settings, cast("type[SettingsT]", self.settings_type)
        )
        self.capabilities = self.capabilities_for(self.settings)
        self._sink: Sink | None = None
        self._is_open = False
        self._closing = AsyncExitStack()
        self._unexpected = 0

    @property
    @final
    def id(self) -> str:
        """Adapter identifier."""
        return self.context.id

    @property
    @final
    def event_service_id(self) -> str:
        """Identifier of the event service."""
        return self.context.service

    @property
    @final
    def connected(self) -> bool:
        """Whether it was connected and not disconnected since; `probe` proves a round trip."""
        return self._is_open

    @property
    @final
    def sink(self) -> Sink:
        """Accepts what the adapter receives."""
        if self._sink is None:
            raise RuntimeError("an adapter receives nothing before it is connected")
        return self._sink

    @property
    @final
    def counters(self) -> dict[str, int]:
        """Counters of the native client, by name; none while it is not connected."""
        if not self._is_open:
            return {}
        return {"unexpected_errors": self._unexpected, **self._counted()}

    @final
    async def connect(self, sink: Sink) -> None:
        """Connect to the event service, and to its control events where they may enter.

        Where that fails, what was opened is closed again.

        Raises:
            UnavailableError: The event service is away; a retry helps.
            AdapterError: The settings are not valid; a retry does not help.
        """
        self._sink = sink
        try:
            await self._translated(self._open())
        except BaseException:
            await self._close()
            raise
        self._is_open = True

    @final
    async def observe(self) -> None:
        """Report to the sink all that native clients declare now, and each change.

        Another call reports all of them again.

        Raises:
            UnavailableError: The event service is away; a retry helps.
        """
        await self._performed(self._observe)

    @final
    async def disconnect(self) -> None:
        """Disconnect; idempotent.

        Raises:
            AdapterError: The native client could not disconnect in order; it is closed all the
                same.
        """
        self._is_open = False
        if self._sink is not None:
            await self._translated(self._close())

    @final
    async def announce(self, native: Native) -> None:
        """Announce an event; nothing happens where the service has no announcements."""
        await self._performed(self._announce, native)

    @final
    async def unannounce(self, native: Native) -> None:
        """Withdraw an announcement."""
        await self._performed(self._unannounce, native)

    @final
    async def publish(self, native: Native, stamp: NativeStamp) -> None:
        """Publish an event with its stamp.

        An adapter that is `persistent` returns once its event service keeps the event.

        Raises:
            UnavailableError: The event service is away.
            AdapterError: The event service does not accept the event; the message states why.
        """
        await self._performed(self._publish, native, stamp)

    @final
    async def publish_control(self, event: Event, stamp: NativeStamp) -> None:
        """Publish a control event in the service's form."""
        await self._performed(self._publish_control, event, stamp)

    @final
    async def prepare(self, filters: Iterable[Filter]) -> None:
        """Begin subscriptions that follow, where the event service makes many as fast as one.

        Nothing happens where it does not. A filter that is refused is refused by `subscribe`.
        """
        if not self.prepares:
            return
        own = shared_slice()
        for each in filters:
            await own.turn()
            if self._is_open:
                with suppress(FesError, EventServiceError):
                    self._prepare(each)
            own.end()

    @final
    def end_prepared(self) -> None:
        """End what `prepare` began and no `subscribe` completed."""
        if self.prepares and self._is_open:
            self._end_prepared()

    @final
    async def subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        """Subscribe natively to at least what a filter accepts.

        Returns:
            Descriptions of what was widened; empty where the native filter is exact.
        """
        return await self._performed(self._subscribe, subscription)

    @final
    async def unsubscribe(self, subscription: Subscription) -> None:
        """Withdraw a native subscription."""
        await self._performed(self._unsubscribe, subscription)

    @final
    async def probe(self) -> None:
        """Make a round trip through the event service.

        Raises:
            UnavailableError: Nothing came back in time.
        """
        await self._performed(self._probe)

    @final
    def receive(self, message: MessageT, answer: Answer | None = None) -> None:
        """Read what the native client delivers, and pass it to the sink; never raises.

        What cannot be read is set aside, and nothing else is affected. What is not for the gateway
        is answered at once, so that its store deletes it.

        Args:
            message: The native message.
            answer: The answer to an event service that keeps the message until it is answered.
        """
        sink = self._sink
        if sink is None:
            return
        try:
            found = self._read(message)
        except (FesError, EventServiceError) as error:
            name = self._named(message)
            sink.set_aside(f"{name}: {error}" if name else str(error), self._raw(message))
            found = None
        except Exception:  # noqa: BLE001 - a native client may stop receiving where its callback raises
            self._unexpected += 1
            _log.exception("reading_failed", extra={"adapter": self.id})
            sink.set_aside("internal error: see the log", self._raw(message))
            found = None
        if isinstance(found, Received):
            sink.heard(found.native, found.stamp, answer)
            return
        if found is not None and self.context.hears_control:
            sink.heard_control(found.event, found.stamp)
        if answer is not None:
            answer(True)

    @final
    def set_aside(self, reason: str, raw: bytes) -> None:
        """Set aside what the native client could not read; nothing happens while disconnected."""
        if self._sink is not None:
            self._sink.set_aside(reason, raw)

    @final
    async def _pooled(
        self,
        key: object,
        open_: Callable[[], Awaitable[Connection]],
        close: Callable[[Connection], Awaitable[None]],
    ) -> Connection:
        """Return a connection that the process shares; disconnecting releases it.

        Args:
            key: Identifies the connection, e.g. kind and addresses.
            open_: Opens it, for the first adapter that needs it.
            close: Closes it, after the last released it.
        """
        pool = self.context.pool
        found: Connection = await pool.acquire(key, open_, close)
        self._closing.push_async_callback(pool.release, key)
        return found

    @final
    def _one_broker(self) -> str:
        """Return the address of the only broker.

        Raises:
            FederationError: There is none, or several.
        """
        if len(self.context.brokers) != 1:
            reason = f"{self.kind} needs exactly one broker, found {len(self.context.brokers)}"
            raise setting_fault(self.context.service, "brokers", reason)
        return self.context.brokers[0]

    @final
    def _some_brokers(self) -> tuple[str, ...]:
        """Return the addresses of the brokers.

        Raises:
            FederationError: There is none.
        """
        if not self.context.brokers:
            raise setting_fault(self.context.service, "brokers", "no broker is named")
        return self.context.brokers

    async def _performed(self, act: Callable[..., Awaitable[Result]], *given: Any) -> Result:
        if not self._is_open:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return await self._translated(act(*given))

    async def _translated(self, act: Awaitable[Result]) -> Result:
        """Await an act of the native client, and translate its errors into those of adapters."""
        try:
            return await act
        except FesError:
            raise
        except EventServiceError as error:
            if error.retryable or isinstance(error, self.away_errors):
                raise UnavailableError(str(error)) from error
            raise AdapterError(str(error)) from error
        except OSError as error:
            raise UnavailableError(str(error) or type(error).__name__) from error

    async def _close(self) -> None:
        closing, self._closing = self._closing, AsyncExitStack()
        self._is_open = False
        try:
            await closing.aclose()
        finally:
            self._sink = None


AnyAdapter = Adapter[Any, Any]
"""An adapter, whatever its settings and messages."""
