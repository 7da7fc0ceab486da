"""The inputs of a gateway core."""

from typing import NamedTuple

import msgspec

from fes.control import ControlEvent, Signal, from_event, is_signal, read_signal
from fes.federation.scopes.change import Change
from fes.link.messages import Confirmed, Done, Heard, HeardControl
from fes.model import binary


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


class Asker(NamedTuple):
    """Who requests what, for the policy service.

    Attributes:
        source: Event service that the request comes from.
        subject: Of the events.
    """

    source: str
    subject: str


class Right(msgspec.Struct, frozen=True):
    """What the policy service decided.

    Attributes:
        permit: Whether the events may be received.
        until_us: When the decision ends, wall clock, microseconds since 1970 UTC.
        filter: What is permitted of them, in the filter language; "" where all are.
        rule: That decided; for people.
    """

    permit: bool
    until_us: int
    filter: str = ""
    rule: str = ""


class Guided(msgspec.Struct, frozen=True):
    """The naming and policy services answered.

    Attributes:
        places: Event services with sources, by subject; None where that is not known now.
        rights: Decisions; None where there was no answer.
    """

    places: dict[str, tuple[str, ...] | None] = {}
    rights: dict[Asker, Right | None] = {}


class ChangeScopes(msgspec.Struct, frozen=True):
    """An administrator changes the scopes at the gateway that orders changes.

    Attributes:
        change: Without number.
    """

    change: Change


class Tick(msgspec.Struct, frozen=True):
    """Time passed: leases end, and withdrawals past their time are deleted."""


Input = (
    Heard
    | HeardControl
    | Done
    | Confirmed
    | LinkUp
    | LinkDown
    | Ready
    | Inject
    | Guided
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
