"""CORBA Notification Service: a native client API with its semantics, on a NATS broker.

Event channels; Any, structured and sequence events; push and pull on both sides; filters;
subscriptions by event type, offer and subscription change; quality of service; persistent events.
Begin with `Connection`; the layout on NATS subjects is in `subjects`, the bytes of an event in
`codec`, filters in `etcl`.
"""

from eventservices.cns.can import can_frame_any
from eventservices.cns.changes import Member
from eventservices.cns.channel import EventChannel
from eventservices.cns.connection import Connection
from eventservices.cns.consumer_admin import ConsumerAdmin
from eventservices.cns.dispatch import SetAside
from eventservices.cns.event import (
    AnyEvent,
    Event,
    EventHeader,
    FixedEventHeader,
    StructuredEvent,
    as_any,
    as_structured,
    structured_event,
    typed_event,
)
from eventservices.cns.event_type import ALL_TYPES, ANY_TYPE, EventType
from eventservices.cns.filters import EventFilter
from eventservices.cns.mapping import EventMapping
from eventservices.cns.options import (
    ChannelOptions,
    ClientType,
    InterFilterGroupOperator,
    ObtainInfoMode,
    ProxyType,
)
from eventservices.cns.pull_consumers import (
    ProxyPullConsumer,
    SequenceProxyPullConsumer,
    StructuredProxyPullConsumer,
)
from eventservices.cns.pull_suppliers import (
    HeldEvent,
    ProxyPullSupplier,
    SequenceProxyPullSupplier,
    StructuredProxyPullSupplier,
)
from eventservices.cns.push_consumers import (
    ProxyPushConsumer,
    SequenceProxyPushConsumer,
    StructuredProxyPushConsumer,
)
from eventservices.cns.push_suppliers import (
    ProxyPushSupplier,
    SequenceProxyPushSupplier,
    StructuredProxyPushSupplier,
)
from eventservices.cns.qos import (
    AdminProperty,
    DiscardPolicy,
    ErrorCode,
    Long,
    OrderPolicy,
    PropertyError,
    PropertyRange,
    QoS,
    Reliability,
    UnsupportedAdminError,
    UnsupportedQoSError,
    time_t,
    utc_t,
)
from eventservices.cns.supplier_admin import SupplierAdmin
from eventservices.cns.value import LongLong, TypeCode, Value, type_code

__all__ = [
    "ALL_TYPES",
    "ANY_TYPE",
    "AdminProperty",
    "AnyEvent",
    "ChannelOptions",
    "ClientType",
    "Connection",
    "ConsumerAdmin",
    "DiscardPolicy",
    "ErrorCode",
    "Event",
    "EventChannel",
    "EventFilter",
    "EventHeader",
    "EventMapping",
    "EventType",
    "FixedEventHeader",
    "HeldEvent",
    "InterFilterGroupOperator",
    "Long",
    "LongLong",
    "Member",
    "ObtainInfoMode",
    "OrderPolicy",
    "PropertyError",
    "PropertyRange",
    "ProxyPullConsumer",
    "ProxyPullSupplier",
    "ProxyPushConsumer",
    "ProxyPushSupplier",
    "ProxyType",
    "QoS",
    "Reliability",
    "SequenceProxyPullConsumer",
    "SequenceProxyPullSupplier",
    "SequenceProxyPushConsumer",
    "SequenceProxyPushSupplier",
    "SetAside",
    "StructuredEvent",
    "StructuredProxyPullConsumer",
    "StructuredProxyPullSupplier",
    "StructuredProxyPushConsumer",
    "StructuredProxyPushSupplier",
    "SupplierAdmin",
    "TypeCode",
    "UnsupportedAdminError",
    "UnsupportedQoSError",
    "Value",
    "as_any",
    "as_structured",
    "can_frame_any",
    "structured_event",
    "time_t",
    "type_code",
    "typed_event",
    "utc_t",
]
