"""The properties that there are: their types, values, defaults and levels.

Source:
    OMG Notification Service 1.1, section 2.5. Where implementations differ: events wait in
    `PriorityOrder`, a full queue refuses the newest (`AnyOrder` and `LifoOrder` alike), start and
    stop times are off until they are requested.
"""

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Final

from eventservices.cns.qos.errors import PropertyRange
from eventservices.cns.qos.kinds import Kind, PropertyValue


class Reliability(IntEnum):
    """Whether an event, or a connection, outlives a crash."""

    BEST_EFFORT = 0
    PERSISTENT = 1


class OrderPolicy(IntEnum):
    """In which order events leave a queue."""

    ANY = 0
    FIFO = 1
    PRIORITY = 2
    DEADLINE = 3


class DiscardPolicy(IntEnum):
    """Which event a full queue discards first; the one that comes is among them."""

    ANY = 0
    FIFO = 1
    PRIORITY = 2
    DEADLINE = 3
    LIFO = 4


class Level(Enum):
    """Where a property may be set."""

    MESSAGE = "message"
    PROXY = "proxy"
    ADMIN = "admin"
    CHANNEL = "channel"


class QoS(StrEnum):
    """The names of the properties of quality of service; plain text does as well."""

    EVENT_RELIABILITY = "EventReliability"
    CONNECTION_RELIABILITY = "ConnectionReliability"
    PRIORITY = "Priority"
    START_TIME = "StartTime"
    STOP_TIME = "StopTime"
    TIMEOUT = "Timeout"
    START_TIME_SUPPORTED = "StartTimeSupported"
    STOP_TIME_SUPPORTED = "StopTimeSupported"
    MAX_EVENTS_PER_CONSUMER = "MaxEventsPerConsumer"
    ORDER_POLICY = "OrderPolicy"
    DISCARD_POLICY = "DiscardPolicy"
    MAXIMUM_BATCH_SIZE = "MaximumBatchSize"
    PACING_INTERVAL = "PacingInterval"


class AdminProperty(StrEnum):
    """The names of a channel's administrative properties."""

    MAX_QUEUE_LENGTH = "MaxQueueLength"
    MAX_CONSUMERS = "MaxConsumers"
    MAX_SUPPLIERS = "MaxSuppliers"
    REJECT_NEW_EVENTS = "RejectNewEvents"


@dataclass(frozen=True, slots=True)
class Property:
    """One property.

    Attributes:
        name: Its name.
        kind: Type of its values.
        low, high: Its legal range.
        levels: Where it may be set.
        default: Its value where nobody set it; None where it then has none.
    """

    name: str
    kind: Kind
    low: PropertyValue
    high: PropertyValue
    levels: frozenset[Level]
    default: PropertyValue | None = None

    @property
    def range(self) -> PropertyRange:
        """Its legal range."""
        return PropertyRange(self.low, self.high)


_MESSAGE: Final = frozenset({Level.MESSAGE})
_CHANNEL: Final = frozenset({Level.CHANNEL})
_OBJECTS: Final = frozenset({Level.PROXY, Level.ADMIN, Level.CHANNEL})
_ALL: Final = _MESSAGE | _OBJECTS
_LONG_MAX: Final = 2**31 - 1
_TIME_MAX: Final = 2**63 - 1
_UTC_MAX: Final = {"time": _TIME_MAX}


def _table(*properties: Property) -> dict[str, Property]:
    return {item.name: item for item in properties}


QOS: Final = _table(
    Property(QoS.EVENT_RELIABILITY, Kind.SHORT, 0, 1, _MESSAGE | _CHANNEL, 0),
    Property(QoS.CONNECTION_RELIABILITY, Kind.SHORT, 0, 1, _OBJECTS, 0),
    Property(QoS.PRIORITY, Kind.SHORT, -32767, 32767, _ALL, 0),
    Property(QoS.START_TIME, Kind.UTC_T, {"time": 0}, _UTC_MAX, _MESSAGE),
    Property(QoS.STOP_TIME, Kind.UTC_T, {"time": 0}, _UTC_MAX, _MESSAGE),
    Property(QoS.TIMEOUT, Kind.TIME_T, 0, _TIME_MAX, _ALL, 0),
    Property(QoS.START_TIME_SUPPORTED, Kind.BOOLEAN, False, True, _OBJECTS, False),
    Property(QoS.STOP_TIME_SUPPORTED, Kind.BOOLEAN, False, True, _OBJECTS, False),
    Property(QoS.MAX_EVENTS_PER_CONSUMER, Kind.LONG, 0, _LONG_MAX, _OBJECTS, 0),
    Property(QoS.ORDER_POLICY, Kind.SHORT, 0, 3, _OBJECTS, int(OrderPolicy.PRIORITY)),
    Property(QoS.DISCARD_POLICY, Kind.SHORT, 0, 4, _OBJECTS, int(DiscardPolicy.ANY)),
    Property(QoS.MAXIMUM_BATCH_SIZE, Kind.LONG, 1, _LONG_MAX, _OBJECTS, 1),
    Property(QoS.PACING_INTERVAL, Kind.TIME_T, 0, _TIME_MAX, _OBJECTS, 0),
)
"""Quality of service, by name."""

ADMIN: Final = _table(
    Property(AdminProperty.MAX_QUEUE_LENGTH, Kind.LONG, 0, _LONG_MAX, _CHANNEL, 0),
    Property(AdminProperty.MAX_CONSUMERS, Kind.LONG, 0, _LONG_MAX, _CHANNEL, 0),
    Property(AdminProperty.MAX_SUPPLIERS, Kind.LONG, 0, _LONG_MAX, _CHANNEL, 0),
    Property(AdminProperty.REJECT_NEW_EVENTS, Kind.BOOLEAN, False, True, _CHANNEL, True),
)
"""Administrative properties, by name; 0 means no limit."""
