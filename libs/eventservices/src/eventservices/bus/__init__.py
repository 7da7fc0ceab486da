"""The event bus of a smart building: one per device, over NATS.

Source:
    Smart-building thesis (Trinity College Dublin, 1999), chapters 4 and 5, appendix A.
"""

from eventservices.bus.api.client import BusClient
from eventservices.bus.api.ends import Sink, Source
from eventservices.bus.api.event_type import EventType
from eventservices.bus.api.transport import LocalTransport, NatsTransport
from eventservices.bus.api.typed import TypedSink, TypedSource
from eventservices.bus.binding.bus import EventBus
from eventservices.bus.binding.options import BusOptions
from eventservices.bus.binding.pool import PoolSettings
from eventservices.bus.binding.store import MemoryStore, SqliteStore
from eventservices.bus.core import BusSettings, Decide, Decision
from eventservices.bus.errors import (
    AdvertiseError,
    BusError,
    EventNameError,
    FilterError,
    NotifyError,
    SubscriptionError,
    TypeMismatchError,
    UnadvertiseError,
    UnsubscribeError,
)
from eventservices.bus.wire.messages import Event

__all__ = [
    "AdvertiseError",
    "BusClient",
    "BusError",
    "BusOptions",
    "BusSettings",
    "Decide",
    "Decision",
    "Event",
    "EventBus",
    "EventNameError",
    "EventType",
    "FilterError",
    "LocalTransport",
    "MemoryStore",
    "NatsTransport",
    "NotifyError",
    "PoolSettings",
    "Sink",
    "Source",
    "SqliteStore",
    "SubscriptionError",
    "TypeMismatchError",
    "TypedSink",
    "TypedSource",
    "UnadvertiseError",
    "UnsubscribeError",
]
