"""The surroundings of an adapter, and the types that it exchanges with its runtime."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from eventservices.stamp import Stamp as NativeStamp
from serving.clocks import wall_us

from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.federation.clock import TimeTeller
from fes.federation.model import Observe
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event
from fes.model.limits import Limits


class Received(NamedTuple):
    """A native event that was read.

    Attributes:
        native: The event.
        stamp: Its stamp; None where its publisher does not stamp.
    """

    native: Native
    stamp: NativeStamp | None


class ReceivedControl(NamedTuple):
    """A control event that was read.

    Attributes:
        event: The control event.
        stamp: Its stamp; None where its publisher does not stamp.
    """

    event: Event
    stamp: NativeStamp | None


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription to apply natively.

    Attributes:
        number: Identifies it among the adapter's.
        filter: In the filter language.
    """

    number: int
    filter: Filter


class Sink(Protocol):
    """Accepts what an adapter receives; never blocks, never raises."""

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None:
        """Accept a native event.

        Args:
            native: The event.
            stamp: Its stamp; None where it has none.
            answer: From an adapter that is `persistent`: called once, with True when the gateway
                has committed what it does with the event, with False to have it delivered again.
        """

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Accept a control event."""

    def observed(self, seen: Observed) -> None:
        """Accept what a native client declared or withdrew at the event service."""

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Accept what could not be read, count it and keep it for inspection."""


NOTHING_OBSERVED: Final = Observe()
"""The setting under which nothing that native clients declare becomes a request."""


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """The identifiers, settings and surroundings of an adapter.

    Attributes:
        id: Adapter identifier, `<gateway>.<event service>`.
        service: Event service identifier.
        system: System identifier.
        settings: The event service's and the adapter's settings, from the file.
        brokers: Addresses of the event service's brokers.
        medium: Name of the shared wireless medium; "" where the service is not on one.
        mapping: Between native events and the federation's.
        hears_control: Whether control events may enter from the service.
        pool: Connections that adapters of the process share.
        clock: The federation clock.
        speed: How much faster than the wall clock it runs.
        limits: Limits on events.
        base: Folder to which paths in settings are relative.
        observe: Which declarations of native clients become requests.
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
    clock: TimeTeller
    speed: float = 1.0
    limits: Limits = field(default_factory=Limits)
    base: str = "."
    observe: Observe = NOTHING_OBSERVED

    def clock_us(self) -> int:
        """Return the time of the federation clock, microseconds since 1970 UTC."""
        return self.clock.time_us(wall_us())
