"""Choices that a channel leaves to its client."""

from dataclasses import dataclass
from enum import Enum


class ClientType(Enum):
    """The form in which a client sends or receives events."""

    ANY_EVENT = 0
    STRUCTURED_EVENT = 1
    SEQUENCE_EVENT = 2


class ProxyType(Enum):
    """How a proxy's client sends or receives events, and in which form."""

    PUSH_ANY = 0
    PULL_ANY = 1
    PUSH_STRUCTURED = 2
    PULL_STRUCTURED = 3
    PUSH_SEQUENCE = 4
    PULL_SEQUENCE = 5


class InterFilterGroupOperator(Enum):
    """How an admin's subscriptions and those of its proxies work together."""

    AND_OP = 0
    OR_OP = 1


class ObtainInfoMode(Enum):
    """What to report of the other side's types, now and from now on."""

    ALL_NOW_UPDATES_OFF = 0
    ALL_NOW_UPDATES_ON = 1
    NONE_NOW_UPDATES_OFF = 2
    NONE_NOW_UPDATES_ON = 3

    @property
    def updates(self) -> bool:
        """Whether changes are reported from now on."""
        return self in {ObtainInfoMode.ALL_NOW_UPDATES_ON, ObtainInfoMode.NONE_NOW_UPDATES_ON}

    @property
    def all_now(self) -> bool:
        """Whether the types that there are now are returned."""
        return self in {ObtainInfoMode.ALL_NOW_UPDATES_ON, ObtainInfoMode.ALL_NOW_UPDATES_OFF}


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How one client uses a channel.

    Attributes:
        client: Name that the other members see; the connection's where empty.
        home: Name of the event service in the stamps made here; the channel's name where empty.
        max_consumers: Most proxies for consumers (OMG: `MaxConsumers`).
        max_suppliers: Most proxies for suppliers (OMG: `MaxSuppliers`).
        window: Sequence numbers of each origin that a consumer remembers, to suppress repetitions.
        origins: Origins that a consumer remembers.
        set_aside: Malformed messages kept.
        queued: Most events that wait for one consumer where `MaxEventsPerConsumer` is 0.
        poll_s: Time between two calls of a pull supplier that has nothing, seconds.
        attempts: Times that a persistent event is delivered to a consumer that fails on it.
        mapping_default_first: Whether the default value of a mapping filter has precedence over the
            event's own header; else it is for events whose header specifies none.
        store_bytes: Most that persistent events of the channel occupy at the broker; a server sets
            as much aside for each channel.
        store_age_s: How long the broker keeps a persistent event; 0 for as long as necessary.
        replicas: Servers of a cluster that keep each persistent event.
    """

    client: str = ""
    home: str = ""
    max_consumers: int = 1000
    max_suppliers: int = 1000
    window: int = 4096
    origins: int = 10_000
    set_aside: int = 100
    queued: int = 100_000
    poll_s: float = 0.1
    attempts: int = 10
    mapping_default_first: bool = False
    store_bytes: int = 64 * 1024 * 1024
    store_age_s: float = 0.0
    replicas: int = 1
