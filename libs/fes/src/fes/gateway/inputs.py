"""The inputs of a gateway core."""

import msgspec

from fes.control import ControlEvent
from fes.link.messages import Confirmed, Done, Heard, HeardControl


class LinkUp(msgspec.Struct, frozen=True):
    """An adapter's link is up, and the adapter expects the whole desired state.

    Attributes:
        persistent: Whether its event service keeps events over a restart.
        suppresses: Whether native clients there suppress a repeated identity.
        stamps: Whether what native clients publish there has a stamp that all gateways read alike;
            otherwise one adapter alone stamps, and the others forward only what is stamped.
    """

    persistent: bool = False
    suppresses: bool = True
    stamps: bool = True


class LinkDown(msgspec.Struct, frozen=True):
    """An adapter's link is down."""


class Ready(msgspec.Struct, frozen=True):
    """An adapter's event service began or ceased to answer.

    Attributes:
        ready: Whether its last round trip came back.
    """

    ready: bool


class Inject(msgspec.Struct, frozen=True):
    """A request from the API, the command line or the federation file.

    Attributes:
        request: The request, without version and path; its source may be any event service.
    """

    request: ControlEvent


class Tick(msgspec.Struct, frozen=True):
    """Time passed: leases end, and withdrawals past their time are deleted."""


Input = Heard | HeardControl | Done | Confirmed | LinkUp | LinkDown | Ready | Inject | Tick
"""What `GatewayCore.handle` accepts."""
