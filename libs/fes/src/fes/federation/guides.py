"""The services of a building that gateways query: where sources are, and who may subscribe."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fes.federation.names import Name

Building = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
Device = Annotated[str, Meta(min_length=1, max_length=255)]
User = Annotated[str, Meta(min_length=1, max_length=255)]


class NamingPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The event naming service: subscriptions with wildcards apply where it knows of sources.

    Attributes:
        broker: NATS server that it is reached through.
        building: Identifier of the building whose service it is.
        servers: Its servers, in order of preference, as files of static links name them.
        buses: Event service that the building's buses are: what the naming service answers with is
            one of them where it is not an event service.
        announces: Whether announcements from the gateway's event services are added to it.
    """

    broker: Name
    building: Building
    servers: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    buses: Name | UnsetType = UNSET
    announces: bool = True


class PolicyPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The policy service: a subscription applies as far as it permits, and as long.

    Attributes:
        broker: NATS server that it is reached through.
        building: Identifier of the building whose service it is.
        device: Type of device that event services without one in `devices` are.
        users: User that the requests of an event service are decided for; its own name where it is
            not listed.
        devices: Type of device that an event service is.
    """

    broker: Name
    building: Building
    device: Device = "gateway"
    users: dict[Name, User] = {}
    devices: dict[Name, Device] = {}
