"""What a gateway core is told."""

import msgspec

from fes.control import ControlEvent
from fes.link.messages import Done, Heard, HeardControl


class LinkUp(msgspec.Struct, frozen=True):
    """An adapter's link is up and expects the whole desired state."""


class LinkDown(msgspec.Struct, frozen=True):
    """An adapter's link is down."""


class Inject(msgspec.Struct, frozen=True):
    """A request comes in over the API, the command line or the federation file.

    Attributes:
        request: Without version and path; its source is any event service.
    """

    request: ControlEvent


class Tick(msgspec.Struct, frozen=True):
    """Time passed: leases are checked, forgotten rows are purged."""


Input = Heard | HeardControl | Done | LinkUp | LinkDown | Inject | Tick
"""What `GatewayCore.handle` takes."""
