"""Choices that a channel leaves to its client."""

from dataclasses import dataclass
from enum import Enum


class ClientType(Enum):
    """The form in which a client gives or takes events."""

    ANY_EVENT = 0
    STRUCTURED_EVENT = 1


class InterFilterGroupOperator(Enum):
    """How an admin's subscriptions and those of its proxies work together."""

    AND_OP = 0
    OR_OP = 1


class ObtainInfoMode(Enum):
    """What to be told of the other side's types, now and from now on."""

    ALL_NOW_UPDATES_OFF = 0
    ALL_NOW_UPDATES_ON = 1
    NONE_NOW_UPDATES_OFF = 2
    NONE_NOW_UPDATES_ON = 3


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How one client uses a channel.

    Attributes:
        client: Name that the other members see; the connection's where empty.
        home: Name of the event service in the stamps given here; the channel's name where empty.
        max_consumers: Most proxies for consumers (OMG: `MaxConsumers`).
        max_suppliers: Most proxies for suppliers (OMG: `MaxSuppliers`).
        window: Sequence numbers of each origin that a consumer remembers, to suppress repetitions.
        origins: Origins that a consumer remembers.
        set_aside: Malformed messages kept.
    """

    client: str = ""
    home: str = ""
    max_consumers: int = 1000
    max_suppliers: int = 1000
    window: int = 4096
    origins: int = 10_000
    set_aside: int = 100
