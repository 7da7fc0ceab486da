"""The schema of the event log, version 1."""

from enum import StrEnum

import msgspec

VERSION = 1


class Decision(StrEnum):
    """What a component decided."""

    STARTED = "started"
    STOPPED = "stopped"
    RECEIVED = "received"
    MATCHED = "matched"
    FORWARDED = "forwarded"
    APPLIED = "applied"
    PUBLISHED = "published"
    SUBSCRIBED = "subscribed"
    UNSUBSCRIBED = "unsubscribed"
    ANNOUNCED = "announced"
    UNANNOUNCED = "unannounced"
    SUPPRESSED = "suppressed"
    DROPPED = "dropped"
    REFUSED = "refused"
    LEFT_OUT = "left out"
    DEGRADED = "degraded"


class Record(msgspec.Struct, omit_defaults=True, rename={"from_": "from"}):
    """One line of the event log; members that are empty are left out.

    Attributes:
        decision: What was decided.
        wall_us: When, wall clock, microseconds since 1970 UTC.
        time_us: When, federation clock.
        system: The federation.
        component: `gateway` or `adapter`.
        name: The component's identifier.
        replica: Name of the replica of it that decided; empty where it has none.
        id: Identity of the event, `origin/epoch/sequence`; empty for requests.
        event_time_us: The producer's time of the event.
        subject: Of the event.
        home: Event service where the event was first published.
        from_: Event service that it came from.
        to: Event service that it goes to.
        path: Event services passed before, oldest first.
        request: Request id; empty for publications.
        type: Request type, e.g. `subscription`.
        reason: Why it was dropped, refused, left out or suppressed.
        what: What was degraded or widened, or the filter of a subscription.
        session: Session scope that an event was published in, or is received in.
        declared: What a change of scopes declares, as JSON in the words of the federation file.
        v: Version of this schema.
    """

    decision: Decision
    wall_us: int
    time_us: int = 0
    system: str = ""
    component: str = ""
    name: str = ""
    replica: str = ""
    id: str = ""
    event_time_us: int = 0
    subject: str = ""
    home: str = ""
    from_: str = ""
    to: str = ""
    path: tuple[str, ...] = ()
    request: str = ""
    type: str = ""
    reason: str = ""
    what: str = ""
    session: str = ""
    declared: str = ""
    v: int = 0
