"""Requests, as control events carry them."""

from enum import IntEnum

import msgspec

from fes.model import Event, Stamp

CONTROL_SUBJECT = "FES_ControlEvent"
"""Subject of every control event."""


class RequestType(IntEnum):
    """What a control event requests.

    Source:
        FES thesis, section 5.3.1; 16 and above are ours.
    """

    ANNOUNCEMENT = 1
    SUBSCRIPTION = 2
    PUBLICATION = 3
    UNSUBSCRIPTION = 4
    UNANNOUNCEMENT = 5

    @property
    def word(self) -> str:
        """The request's name in lower case, e.g. `subscription`."""
        return self.name.lower()


WITHDRAWING = {
    RequestType.UNSUBSCRIPTION: RequestType.SUBSCRIPTION,
    RequestType.UNANNOUNCEMENT: RequestType.ANNOUNCEMENT,
}
"""What each withdrawing request withdraws."""


class ControlEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One request.

    Attributes:
        stamp: Identity of the request; of a publication, the identity of the event in it.
        system: The federation that the request belongs to.
        type: What is requested.
        dist_list: Event services where it shall be applied, as a distribution list; empty only
            in a publication that an adapter made.
        source: Event service that the request comes from.
        filter: Of (un)subscriptions, in the filter language, as the client wrote it.
        event: Of publications and (un)announcements.
        path: Event services that the control event passed, oldest first.
        via: Of a publication: event services that the event passed before it, oldest first.
        requester: Identifies the client; with source, filter and pattern it is the request's key.
        version: Newer requests of one key have larger ones; for 0 the first gateway assigns one.
        expires_us: When a lease ends, wall clock, microseconds since 1970 UTC; 0 is never.
        next_gateway: The one gateway that a publication is for; "" for all that receive it.
        giver: Of a publication in custody: the gateway that has custody until it is acknowledged.
        row: Number of that gateway's row; 0 requires no acknowledgement.
        after: The row of the same lane that was sent just before and is not acknowledged yet; 0
            where there is none.

    Source:
        FES thesis, section 5.3.1; design, section 4.
    """

    stamp: Stamp
    system: str
    type: RequestType
    source: str
    dist_list: str = ""
    filter: str = ""
    event: Event | None = None
    path: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    requester: str = ""
    version: int = 0
    expires_us: int = 0
    next_gateway: str = ""
    giver: str = ""
    row: int = 0
    after: int = 0

    @property
    def id(self) -> str:
        """The request id as text."""
        return str(self.stamp.identity)
