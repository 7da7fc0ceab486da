"""What a proxy supplier makes of its properties, of an event's header and of mapping filters."""

from collections.abc import Mapping
from dataclasses import dataclass

from eventservices.cns.event import AnyEvent, StructuredEvent
from eventservices.cns.qos.kinds import Kind, PropertyValue, read
from eventservices.cns.qos.properties import QOS, DiscardPolicy, OrderPolicy, Property, QoS
from eventservices.cns.qos.times import us_of_time_t, us_of_utc_t
from eventservices.cns.value import Value

_NOTHING: Mapping[str, Value] = {}


@dataclass(frozen=True, slots=True)
class Mapped:
    """What mapping filters specify for an event; None where there is none, or none matches.

    Attributes:
        priority: Instead of the event's own.
        timeout: Instead of the event's own, units of 100 ns.
        priority_default, timeout_default: Where the event has none of its own.
    """

    priority: int | None = None
    timeout: int | None = None
    priority_default: int | None = None
    timeout_default: int | None = None


UNMAPPED = Mapped()


@dataclass(frozen=True, slots=True)
class Appraisal:
    """What counts of an event in one consumer's queue.

    Attributes:
        priority: Larger goes first.
        deadline_us: By when it should be delivered; None for never.
        expires_us: When it is dropped; None for never.
        start_us: When it may be delivered; None for at once.
    """

    priority: int
    deadline_us: int | None
    expires_us: int | None
    start_us: int | None


@dataclass(frozen=True, slots=True)
class Terms:
    """A proxy supplier's properties, ready for use.

    Attributes:
        order, discard: Policies of its queue.
        max_events: Most events that wait; 0 for no limit.
        batch: Most events delivered together.
        pacing_us: Longest wait for a full batch; 0 waits until it is full.
        priority: Of events that have none.
        timeout_us: Of events that have none; 0 for none.
        start_supported, stop_supported: Whether the times in headers count.
        persistent: Whether the connection is.
    """

    order: OrderPolicy
    discard: DiscardPolicy
    max_events: int
    batch: int
    pacing_us: int
    priority: int
    timeout_us: int
    start_supported: bool
    stop_supported: bool
    persistent: bool

    @classmethod
    def of(cls, held: Mapping[str, PropertyValue]) -> "Terms":
        """Return a proxy's properties, ready for use."""

        def number(name: str) -> int:
            value = held[name]
            return int(value) if isinstance(value, int) else 0

        return cls(
            order=OrderPolicy(number(QoS.ORDER_POLICY)),
            discard=DiscardPolicy(number(QoS.DISCARD_POLICY)),
            max_events=number(QoS.MAX_EVENTS_PER_CONSUMER),
            batch=number(QoS.MAXIMUM_BATCH_SIZE),
            pacing_us=us_of_time_t(number(QoS.PACING_INTERVAL)),
            priority=number(QoS.PRIORITY),
            timeout_us=us_of_time_t(number(QoS.TIMEOUT)),
            start_supported=bool(held[QoS.START_TIME_SUPPORTED]),
            stop_supported=bool(held[QoS.STOP_TIME_SUPPORTED]),
            persistent=bool(held[QoS.CONNECTION_RELIABILITY]),
        )

    def appraise(
        self, event: AnyEvent | StructuredEvent, received_us: int, mapped: Mapped = UNMAPPED
    ) -> Appraisal:
        """Return what counts of an event.

        An event's own `Timeout` and `StopTime` always count for its place in the queue; it is
        dropped for them only where the stop time is supported.

        Args:
            event: The event; only a structured one has a header.
            received_us: When the channel received it, microseconds since 1970 UTC.
            mapped: What mapping filters specify for it.
        """
        header = event.header.variable_header if isinstance(event, StructuredEvent) else _NOTHING
        priority = _first(mapped.priority, _number(header, _PRIORITY), mapped.priority_default)
        own = _microseconds(_number(header, _TIMEOUT))
        forced, fallback = _microseconds(mapped.timeout), _microseconds(mapped.timeout_default)
        stop = _moment(header, _STOP)
        timeout = _first(forced, own, fallback, self.timeout_us)
        counted = own if self.stop_supported else None
        expiry = _first(forced, counted, fallback, self.timeout_us)
        return Appraisal(
            self.priority if priority is None else priority,
            _earlier(received_us, timeout, stop),
            _earlier(received_us, expiry, stop if self.stop_supported else None),
            _moment(header, _START) if self.start_supported else None,
        )


_PRIORITY, _TIMEOUT = QOS[QoS.PRIORITY], QOS[QoS.TIMEOUT]
_START, _STOP = QOS[QoS.START_TIME], QOS[QoS.STOP_TIME]
_EVENT_RELIABILITY = QOS[QoS.EVENT_RELIABILITY]


def own_reliability(event: StructuredEvent) -> int | None:
    """Return the reliability that an event's header specifies; None where it specifies none."""
    return _number(event.header.variable_header, _EVENT_RELIABILITY)


def in_range(name: str, value: object) -> int | None:
    """Return a value that a mapping filter set for a property, if the property may have it."""
    return _number({name: value}, QOS[name])


def _number(header: Mapping[str, object], item: Property) -> int | None:
    if item.name not in header:
        return None
    value = read(Kind.TIME_T, header[item.name])  # events carry integers of any width
    legal = isinstance(value, int) and item.low <= value <= item.high  # type: ignore[operator] # properties of integers have both ends
    return value if legal else None  # type: ignore[return-value] # legal values are integers


def _moment(header: Mapping[str, object], item: Property) -> int | None:
    value = read(item.kind, header[item.name]) if item.name in header else None
    return us_of_utc_t(value) if isinstance(value, Mapping) else None


def _microseconds(ticks: int | None) -> int | None:
    return None if ticks is None else us_of_time_t(ticks)


def _first(*candidates: int | None) -> int | None:
    return next((value for value in candidates if value is not None), None)


def _earlier(received_us: int, timeout_us: int | None, stop_us: int | None) -> int | None:
    ends = [received_us + timeout_us] if timeout_us else []
    if stop_us is not None:
        ends.append(stop_us)
    return min(ends, default=None)
