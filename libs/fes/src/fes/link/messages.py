"""The messages between adapters and gateways over a link."""

import msgspec

from fes.model import Stamp


class Heard(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """An adapter received a native event that matches a subscription.

    The gateway routes by this header, and forwards the body unchanged.

    Attributes:
        stamp: The event's stamp.
        via: Event services that it passed before this one, oldest first.
        subject: The event's subject.
        matched: Numbers of the applied subscriptions that accept it.
        desired: Version of the desired state that the adapter matched against.
        expires_us: When the event expires, federation clock; 0 is never.
        priority: -32767 .. 32767.
        persistent: Whether it requests persistent delivery.
        body: The event as MessagePack.
        starts_us: Before when it must not be delivered, federation clock; 0 where at once.
        token: Identifies an event that its service keeps until it is answered: the gateway answers
            with `Taken`; 0 where nothing is kept.
        after: Token of the event of equal priority that was sent just before this one over the same
            link and is not answered yet: this one is accepted only if that one was. 0 where there
            is none.
    """

    stamp: Stamp
    via: tuple[str, ...]
    subject: str
    matched: tuple[int, ...]
    desired: int
    expires_us: int
    priority: int
    persistent: bool
    body: bytes
    starts_us: int = 0
    token: int = 0
    after: int = 0


class HeardControl(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """An adapter received a control event.

    Attributes:
        stamp: Stamp of its native publisher; None where it has none.
        body: The control event as MessagePack.
        publication: Whether it contains an event: then it is queued, and dropped, as events are.
        observed: Whether the adapter made it from what it observed: a transparent request.
        priority: Of the event in it; of those that wait, larger ones go first.
    """

    stamp: Stamp | None
    body: bytes
    publication: bool = False
    observed: bool = False
    priority: int = 0


class Done(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """An adapter applied a part of the desired state, or failed to.

    Attributes:
        number: Of the subscription or announcement.
        withdrawn: Whether it was withdrawn rather than made.
        error: Why it failed; empty where it did not.
        widened: What the native filter accepts beyond the filter.
    """

    number: int
    withdrawn: bool = False
    error: str = ""
    widened: tuple[str, ...] = ()


class Counted(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """An adapter reports its counters and state.

    Attributes:
        ready: Whether its last round trip through the event service came back.
        reason: Why it is not ready.
        counters: Counts since its start, by name.
    """

    ready: bool
    reason: str
    counters: dict[str, int]


class Confirmed(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """An adapter published the event of a custody row, or failed to.

    Attributes:
        row: Number of the row.
        error: Why it failed; empty where the event service has the event.
        retryable: Whether the same event may be accepted later.
    """

    row: int
    error: str = ""
    retryable: bool = False


class Subscribe(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """Make a native subscription.

    Attributes:
        number: Identifies it in matches.
        filter: In the filter language.
        version: Version of the desired state that it results in.
    """

    number: int
    filter: str
    version: int


class Unsubscribe(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """Withdraw a native subscription."""

    number: int
    version: int


class Announce(msgspec.Struct, frozen=True, array_like=True, tag=12):
    """Announce an event natively; `body` is the event as MessagePack."""

    number: int
    body: bytes


class Unannounce(msgspec.Struct, frozen=True, array_like=True, tag=13):
    """Withdraw a native announcement."""

    number: int


class Publish(msgspec.Struct, frozen=True, array_like=True, tag=14):
    """Publish an event natively, with its stamp.

    Attributes:
        stamp: The event's stamp.
        via: Event services that it passed before this one, oldest first; an access point of a
            medium is itself among them, since what is published there is received at others.
        expires_us: When the event expires, federation clock; 0 is never.
        body: The event as MessagePack.
        priority: -32767 .. 32767; of those that wait, larger ones go first.
        row: Number of the custody row to be confirmed; 0 where none is.
        after: Row of the same lane that was ordered just before and is not confirmed yet: this one
            is published only if that one was; 0 where there is none.
    """

    stamp: Stamp
    via: tuple[str, ...]
    expires_us: int
    body: bytes
    priority: int = 0
    row: int = 0
    after: int = 0


class PublishControl(msgspec.Struct, frozen=True, array_like=True, tag=15):
    """Publish a control event.

    Attributes:
        body: The control event as MessagePack.
        publication: Whether it contains an event: then it is queued, and dropped, as events are.
        priority: Of the event in it; of those that wait, larger ones go first.
        origin: Of a publication: the origin of the event in it.
        row: Of a publication in custody: the number of the sending gateway's row; 0 where there is
            none.
        expires_us: Of a publication: when its event expires, federation clock; 0 is never.
    """

    body: bytes
    publication: bool = False
    priority: int = 0
    origin: str = ""
    row: int = 0
    expires_us: int = 0


class Desired(msgspec.Struct, frozen=True, array_like=True, tag=16):
    """The whole desired state, for an adapter to reconcile with.

    Attributes:
        version: Version of the state.
        subscriptions: All subscriptions that shall be active.
        announcements: All announcements that shall be active.
    """

    version: int
    subscriptions: tuple[Subscribe, ...]
    announcements: tuple[Announce, ...]


class Refuse(msgspec.Struct, frozen=True, array_like=True, tag=17):
    """The gateway refuses the link; dialling again does not help before something changes."""

    reason: str


class Taken(msgspec.Struct, frozen=True, array_like=True, tag=18):
    """The gateway's answer for an event that its service keeps.

    Attributes:
        token: Identifies the event.
        taken: Whether the gateway has committed what it does with the event, so that the service
            may delete it; otherwise the service shall deliver it again.
    """

    token: int
    taken: bool = True


class View(msgspec.Struct, frozen=True, array_like=True, tag=19):
    """A replica's view of its gateway: which replicas there are, and which of them leads.

    A replica sends it first on a link, and again whenever it changes. A gateway without replicas
    never sends it.

    Attributes:
        number: Grows with each change of the members or the leader: a fencing term.
        replica: The replica that sends it.
        leader: The replica that requests, signals and persistent events are for.
        members: All replicas that live; they share the best-effort events by origin.
    """

    number: int
    replica: str
    leader: str
    members: tuple[str, ...]


FromAdapter = Heard | HeardControl | Done | Counted | Confirmed
"""The messages that adapters send."""

Order = (
    Subscribe
    | Unsubscribe
    | Announce
    | Unannounce
    | Publish
    | PublishControl
    | Desired
    | Refuse
    | Taken
    | View
)
"""The messages that gateways send."""
