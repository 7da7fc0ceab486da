"""The records of a domain: its channels and connections.

Source:
    OMG Management of Event Domains 1.0, `CosEventDomainAdmin` and `CosTypedEventDomainAdmin`.
"""

from enum import Enum

import msgspec

from eventservices.cns.options import ClientType

ConnectionID = int
DomainID = int
MemberID = int


class NotificationStyle(Enum):
    """Who acts on a connection: the supplier channel pushes, or the consumer channel pulls."""

    PUSH = 0
    PULL = 1


class ChannelType(Enum):
    """What a member of a domain is."""

    CHANNEL = 0
    TYPED_CHANNEL = 1
    LOG_CHANNEL = 2
    TYPED_LOG_CHANNEL = 3

    @property
    def typed(self) -> bool:
        """Whether it has interfaces."""
        return self in {ChannelType.TYPED_CHANNEL, ChannelType.TYPED_LOG_CHANNEL}

    @property
    def log(self) -> bool:
        """Whether it keeps records."""
        return self in {ChannelType.LOG_CHANNEL, ChannelType.TYPED_LOG_CHANNEL}


class ChannelPlace(msgspec.Struct, frozen=True):
    """Where a channel is.

    Attributes:
        broker: Address of the NATS server; empty where only a gateway knows it.
        channel: The channel's name there; of another event service, a name for people.
        service: The event service of a federation that it is; empty where it is none.
        gateway: Address of a gateway that is attached to the service and makes connections there;
            empty for a channel that the domain opens itself.
    """

    broker: str
    channel: str
    service: str = ""
    gateway: str = ""


class Connection(msgspec.Struct, frozen=True):
    """A connection between two channels; events go from the first to the second.

    Attributes:
        supplier_id: The supplier channel.
        consumer_id: The consumer channel.
        ctype: The form in which events pass.
        notification_style: Who acts.
    """

    supplier_id: MemberID
    consumer_id: MemberID
    ctype: ClientType = ClientType.ANY_EVENT
    notification_style: NotificationStyle = NotificationStyle.PUSH


class TypedConnection(msgspec.Struct, frozen=True):
    """A connection between two typed channels.

    Attributes:
        supplier_id: The supplier channel.
        consumer_id: The consumer channel.
        key: Name of the interface by which events pass.
        notification_style: Who acts.
    """

    supplier_id: MemberID
    consumer_id: MemberID
    key: str
    notification_style: NotificationStyle = NotificationStyle.PUSH


AnyConnection = Connection | TypedConnection


class MemberRecord(msgspec.Struct, frozen=True):
    """A member of a domain.

    Attributes:
        place: Where it is.
        kind: What it is.
        interfaces: Names of the interfaces that a typed one supports.
    """

    place: ChannelPlace
    kind: ChannelType = ChannelType.CHANNEL
    interfaces: tuple[str, ...] = ()


class DomainRecord(msgspec.Struct, frozen=True):
    """A domain without its channels and connections.

    Attributes:
        kind: Which operations it has.
        forbid_cycles, forbid_diamonds: Its quality of service.
        next_member, next_connection: The next identifiers; none is used again.
        default_supplier, default_consumer: The default channels; None where there are none.
    """

    kind: "DomainKind"
    forbid_cycles: bool = False
    forbid_diamonds: bool = False
    next_member: MemberID = 0
    next_connection: ConnectionID = 0
    default_supplier: MemberID | None = None
    default_consumer: MemberID | None = None


class DomainKind(Enum):
    """The three levels of the standard."""

    EVENT = "event"
    TYPED = "typed"
    LOG = "log"
