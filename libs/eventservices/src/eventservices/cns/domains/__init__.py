"""Management of event domains: connected channels of the CNS as a thing of its own.

A domain knows its channels, its clients' default channels and its connections, refuses connections
that would close a cycle or make a diamond, and moves the events. Begin with `EventDomainFactory`;
`graph` has the detection without any I/O.

Source:
    OMG Management of Event Domains 1.0; M. Aleksy, L. Köblitz, M. Schader, "MEDIator: A Tool for
    Automatic Management of Event Domains".
"""

from eventservices.cns.domains.domain import EventDomain
from eventservices.cns.domains.errors import (
    AlreadyExistsError,
    ChannelNotFoundError,
    ClientTypeError,
    ConnectionNotFoundError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    DomainDestroyedError,
    DomainNotFoundError,
    InterfaceNotSupportedError,
    InvocationError,
    NoSuchImplementationError,
)
from eventservices.cns.domains.factory import (
    EventDomainFactory,
    EventLogDomainFactory,
    TypedEventDomainFactory,
)
from eventservices.cns.domains.graph import Bounded, DiamondView
from eventservices.cns.domains.journal import Journal, MemoryJournal
from eventservices.cns.domains.logs.attributes import LogAttributes, LogFullAction
from eventservices.cns.domains.logs.domain import EventLogDomain
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.cns.domains.qos import (
    SHIPPED,
    STANDARD,
    CycleDetection,
    DiamondDetection,
    DomainQoS,
)
from eventservices.cns.domains.records import (
    ChannelPlace,
    ChannelType,
    Connection,
    NotificationStyle,
    TypedConnection,
)
from eventservices.cns.domains.running import DomainOptions
from eventservices.cns.domains.typed.domain import TypedEventDomain
from eventservices.cns.domains.typed.interfaces import Interface, Invocation, load_interfaces

__all__ = [
    "SHIPPED",
    "STANDARD",
    "AlreadyExistsError",
    "Bounded",
    "Brokers",
    "ChannelNotFoundError",
    "ChannelPlace",
    "ChannelType",
    "ClientTypeError",
    "Connection",
    "ConnectionNotFoundError",
    "CycleCreationForbiddenError",
    "CycleDetection",
    "DiamondCreationForbiddenError",
    "DiamondDetection",
    "DiamondView",
    "DomainDestroyedError",
    "DomainNotFoundError",
    "DomainOptions",
    "DomainQoS",
    "EventDomain",
    "EventDomainFactory",
    "EventLogDomain",
    "EventLogDomainFactory",
    "Interface",
    "InterfaceNotSupportedError",
    "Invocation",
    "InvocationError",
    "Journal",
    "LogAttributes",
    "LogFullAction",
    "MemoryJournal",
    "NoSuchImplementationError",
    "NotificationStyle",
    "TypedConnection",
    "TypedEventDomain",
    "TypedEventDomainFactory",
    "load_interfaces",
]
