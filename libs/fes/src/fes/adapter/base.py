"""The base of every adapter.

A new adapter is one class: it opens and closes its event service, publishes and announces what
it is given in native form, subscribes to at least what a filter accepts, and hands over what it
hears. Mapping, residual filtering, stamps for what comes unstamped, limits, logs and counters
are the runtime's.

Source:
    FES thesis, section 5.10; design, section 7.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol, final

from eventservices.stamp import Stamp as NativeStamp

from fes.adapter.capabilities import Capabilities
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError
from fes.federation.model import Observe
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import NameRule, Native
from fes.model import Event
from fes.model.limits import Limits


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription to apply natively.

    Attributes:
        number: Names it among the adapter's.
        filter: In the filter language.
    """

    number: int
    filter: Filter


class Sink(Protocol):
    """Takes what an adapter hears; never blocks, never raises."""

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None:
        """Take a native event.

        Args:
            native: The event.
            stamp: Its stamp; None where it has none.
            answer: Of an adapter that is `persistent`: called once, when the gateway has committed
                what it does with the event, or to have the event delivered again.
        """

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Take a control event."""

    def observed(self, seen: Observed) -> None:
        """Take what a native client declared at the event service, or withdrew."""

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Take what could not be read: counted, kept for inspection, nothing else is affected."""


NOTHING_OBSERVED: Final = Observe()
"""Nothing that native clients declare becomes a request."""


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """Where an adapter stands.

    Attributes:
        id: Adapter identifier, `<gateway>.<event service>`.
        service: Event service identifier.
        system: System identifier.
        settings: The event service's and the adapter's settings, from the file.
        brokers: Addresses of the event service's brokers.
        medium: Name of the shared wireless medium; "" where it is none.
        mapping: Between native events and the federation's.
        hears_control: Whether control events may enter from the service.
        pool: Connections that adapters of the process share.
        clock_us: The federation clock.
        speed: How much faster than the wall clock it runs.
        limits: On events.
        base: Folder that relative paths in settings start from.
        observe: What becomes a request of what native clients declare.
    """

    id: str
    service: str
    system: str
    settings: Mapping[str, Any]
    brokers: tuple[str, ...]
    medium: str
    mapping: EventMapping
    hears_control: bool
    pool: ConnectionPool
    clock_us: Callable[[], int]
    speed: float = 1.0
    limits: Limits = field(default_factory=Limits)
    base: str = "."
    observe: Observe = NOTHING_OBSERVED


class Adapter(ABC):
    """Connects one event service to its gateway.

    Args:
        context: Where it stands.

    Attributes:
        kind: Name of its kind of event service, as the federation's file says it.
        capabilities: What its event service can do.
        automatic: Whether events that no rule names are mapped by themselves.
        name_rule: What the service takes as a name; None where it takes any.
    """

    kind: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    automatic: ClassVar[bool] = True
    name_rule: ClassVar[NameRule | None] = None

    def __init__(self, context: AdapterContext) -> None:
        self.context = context
        self._sink: Sink | None = None

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
        return self._sink is not None

    @property
    @final
    def sink(self) -> Sink:
        """Takes what the adapter hears."""
        sink = self._sink
        assert sink is not None, "not connected"  # noqa: S101 - its author's mistake, never input's
        return sink

    @final
    async def connect(self, sink: Sink) -> None:
        """Connect to the event service, and to its control events where they may enter.

        Raises:
            UnavailableError: The event service is away; a retry helps.
            AdapterError: The settings are not good; a retry does not help.
        """
        self._sink = sink
        await self._open()

    @final
    async def observe(self) -> None:
        """Have the sink told of all that native clients declare now, and of each change.

        Where it was told of them already, it is told of all of them again.

        Raises:
            UnavailableError: The event service is away; a retry helps.
        """
        await self._observe()

    @final
    async def disconnect(self) -> None:
        """Disconnect; harmless twice."""
        if self._sink is not None:
            await self._close()
            self._sink = None

    @final
    async def announce(self, native: Native) -> None:
        """Announce an event; nothing happens where the service knows no announcements."""
        await self._announce(native)

    @final
    async def unannounce(self, native: Native) -> None:
        """Withdraw an announcement."""
        await self._unannounce(native)

    @final
    async def publish(self, native: Native, stamp: NativeStamp) -> None:
        """Publish an event under the stamp that it has.

        An adapter that is `persistent` returns once its event service keeps the event.

        Raises:
            UnavailableError: The event service is away.
            AdapterError: The event service does not take the event; the message says why.
        """
        await self._publish(native, stamp)

    @final
    async def publish_control(self, event: Event, stamp: NativeStamp) -> None:
        """Publish a control event, in the service's form."""
        await self._publish_control(event, stamp)

    @final
    async def subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        """Subscribe natively to at least what a filter accepts.

        Returns:
            What was widened, in words; empty where the native filter is exact.
        """
        return await self._subscribe(subscription)

    @final
    async def unsubscribe(self, subscription: Subscription) -> None:
        """Withdraw a native subscription."""
        await self._unsubscribe(subscription)

    @final
    async def probe(self) -> None:
        """Make a round trip through the event service.

        Raises:
            UnavailableError: Nothing came back in time.
        """
        await self._probe()

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the native client, by name."""
        return {}

    @abstractmethod
    async def _open(self) -> None: ...

    @abstractmethod
    async def _close(self) -> None: ...

    async def _observe(self) -> None:
        """Tell the sink what native clients declare; what its gateway's adapters made is nothing.

        Event services that do not let an adapter see it leave this. Closing ends it.
        """
        raise AdapterError(f"kind {self.kind!r} shows nobody what native clients declare")

    async def _announce(self, native: Native) -> None:
        """Announce; event services without announcements leave this."""
        del native

    async def _unannounce(self, native: Native) -> None:
        """Withdraw an announcement; event services without announcements leave this."""
        del native

    @abstractmethod
    async def _publish(self, native: Native, stamp: NativeStamp) -> None: ...

    @abstractmethod
    async def _publish_control(self, event: Event, stamp: NativeStamp) -> None: ...

    @abstractmethod
    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]: ...

    @abstractmethod
    async def _unsubscribe(self, subscription: Subscription) -> None: ...

    @abstractmethod
    async def _probe(self) -> None: ...
