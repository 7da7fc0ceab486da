"""The inputs of a gateway core."""

import msgspec

from fes.control import ControlEvent, Signal, from_event, is_signal, read_signal
from fes.federation.scopes.change import Change
from fes.link.messages import Confirmed, Done, Heard, HeardControl
from fes.model import binary


class LinkUp(msgspec.Struct, frozen=True):
    """An adapter's link is up and expects the whole desired state.

    Attributes:
        persistent: Whether its event service keeps events over a restart.
        suppresses: Whether native clients there suppress a repeated identity.
        stamps: Whether what native clients publish there has a stamp that all gateways read alike;
            otherwise this adapter alone stamps, and the others pass on only what is stamped.
    """

    persistent: bool = False
    suppresses: bool = True
    stamps: bool = True


class LinkDown(msgspec.Struct, frozen=True):
    """An adapter's link is down."""


class Ready(msgspec.Struct, frozen=True):
    """An adapter's event service answers, or no longer does.

    Attributes:
        ready: Whether its last round trip came back.
    """

    ready: bool


class Inject(msgspec.Struct, frozen=True):
    """A request comes in over the API, the command line or the federation file.

    Attributes:
        request: Without version and path; its source is any event service.
    """

    request: ControlEvent


class ChangeScopes(msgspec.Struct, frozen=True):
    """An administrator changes the scopes at the gateway that orders changes.

    Attributes:
        change: Without number.
    """

    change: Change


class Tick(msgspec.Struct, frozen=True):
    """Time passed: leases are checked, forgotten rows are purged."""


Input = (
    Heard
    | HeardControl
    | Done
    | Confirmed
    | LinkUp
    | LinkDown
    | Ready
    | Inject
    | ChangeScopes
    | Tick
)
"""What `GatewayCore.handle` accepts."""


def read_control(heard: HeardControl, system: str) -> ControlEvent | Signal:
    """Return the request or the signal that a control event contains.

    Raises:
        ControlEventError: It is neither.
        EventError: It is not an event.
    """
    event = binary.decode(heard.body)
    return read_signal(event, system) if is_signal(event) else from_event(event, heard.stamp)
