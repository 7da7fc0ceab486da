"""What `federation.yaml` may state of a building's event buses."""

from typing import Annotated

import msgspec
from msgspec import Meta

Token = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{0,64}$")]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        building: Identifier of the building; the event service's where "".
        bus: Identifier of the adapter's own bus; the gateway's, after `fes-`, where "".
        naming: Servers of the event naming service to query; without any, all buses are queried.
        user: Whose sinks the adapter's are, for the policy service; `fes` where "".
        device: Type of the device that they are on.
        policy: Whether subscriptions at the adapter's own bus are decided by the policy service.
    """

    building: Token = ""
    bus: Token = ""
    naming: tuple[str, ...] = ()
    user: str = "fes"
    device: str = "gateway"
    policy: bool = False
