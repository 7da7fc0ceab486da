"""CORBA Notification Service: a native client API with its semantics, on a NATS broker.

Event channels, Any and structured events, push suppliers and push consumers, subscriptions by
event type, offer and subscription change; best effort. Begin with `Connection`; the layout on NATS
subjects is in `subjects`, the bytes of an event in `codec`.
"""

from eventservices.cns.admin import ConsumerAdmin, SupplierAdmin
from eventservices.cns.can import can_frame_any
from eventservices.cns.changes import Member
from eventservices.cns.channel import EventChannel
from eventservices.cns.connection import Connection
from eventservices.cns.consumer import ProxyPushSupplier, StructuredProxyPushSupplier
from eventservices.cns.dispatch import SetAside
from eventservices.cns.event import (
    AnyEvent,
    EventHeader,
    FixedEventHeader,
    StructuredEvent,
    as_any,
    as_structured,
    structured_event,
)
from eventservices.cns.event_type import ALL_TYPES, ANY_TYPE, EventType
from eventservices.cns.options import (
    ChannelOptions,
    ClientType,
    InterFilterGroupOperator,
    ObtainInfoMode,
)
from eventservices.cns.supplier import ProxyPushConsumer, StructuredProxyPushConsumer
from eventservices.cns.value import LongLong, TypeCode, Value, type_code

__all__ = [
    "ALL_TYPES",
    "ANY_TYPE",
    "AnyEvent",
    "ChannelOptions",
    "ClientType",
    "Connection",
    "ConsumerAdmin",
    "EventChannel",
    "EventHeader",
    "EventType",
    "FixedEventHeader",
    "InterFilterGroupOperator",
    "LongLong",
    "Member",
    "ObtainInfoMode",
    "ProxyPushConsumer",
    "ProxyPushSupplier",
    "SetAside",
    "StructuredEvent",
    "StructuredProxyPushConsumer",
    "StructuredProxyPushSupplier",
    "SupplierAdmin",
    "TypeCode",
    "Value",
    "as_any",
    "as_structured",
    "can_frame_any",
    "structured_event",
    "type_code",
]
