"""What adapters and gateways say to one another over a link."""

import msgspec

from fes.model import Stamp


class Heard(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """An adapter received a native event that some subscription requested.

    The gateway routes by this header and passes the body on unchanged.

    Attributes:
        stamp: The event's stamp.
        via: Event services that it passed before this one, oldest first.
        subject: The event's subject.
        matched: Numbers of the applied subscriptions that it belongs to.
        desired: Version of the desired state that the adapter matched against.
        expires_us: When the event is worthless, federation clock; 0 is never.
        priority: -32767 .. 32767.
        persistent: Whether it requests persistent delivery.
        body: The event as MessagePack.
        starts_us: Before when it must not be delivered, federation clock; 0 where at once.
        token: Of an event that its service keeps until it is acknowledged: the gateway answers
            with `Taken`; 0 where nothing is kept.
        after: Token that was sent just before this one over the same link, of an event of equal
            priority, and is not answered yet: this one is accepted only if that one was. 0 where
            there is none.
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
        publication: Whether it carries an event: then it waits, and is dropped, as events are.
        observed: Whether the adapter made it of what it observed: a transparent request.
        priority: Of the event in it; of those that wait, larger ones go first.
    """

    stamp: Stamp | None
    body: bytes
    publication: bool = False
    observed: bool = False
    priority: int = 0


class Done(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """An adapter did, or could not do, what the desired state asks.

    Attributes:
        number: Of the subscription or announcement.
        withdrawn: Whether it was withdrawn rather than made.
        error: Why it could not; empty where it did.
        widened: What the native filter lets pass that the filter does not.
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
        counters: Name to count since it started.
    """

    ready: bool
    reason: str
    counters: dict[str, int]


class Confirmed(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """An adapter published an event of a custody row, or could not.

    Attributes:
        row: Number of the row.
        error: Why it could not; empty where the event service has it.
        retryable: Whether the same event may be accepted later.
    """

    row: int
    error: str = ""
    retryable: bool = False


class Subscribe(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """Make a native subscription.

    Attributes:
        number: Names it in matches.
        filter: In the filter language.
        version: Of the desired state that it brings about.
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
    """Publish an event natively, under the stamp it has.

    Attributes:
        stamp: The event's stamp.
        via: Event services that it passed before this one, oldest first; an access point of a
            medium counts itself, for what is published there is received at others.
        expires_us: When the event is worthless, federation clock; 0 is never.
        body: The event as MessagePack.
        priority: -32767 .. 32767; of those that wait, larger ones go first.
        row: Number of the custody row that is to be confirmed; 0 where none is.
        after: Row of the same order that was published just before and is not confirmed yet: this
            one is published only if that one was; 0 where there is none.
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
        publication: Whether it carries an event: then it waits, and is dropped, as events are.
        priority: Of the event in it; of those that wait, larger ones go first.
        origin: Of a publication: the origin of the event in it.
        row: Of a publication in custody: the number of the giver's row; 0 where there is none.
        expires_us: Of a publication: when its event is worthless, federation clock; 0 is never.
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
        version: Of the state.
        subscriptions: All there shall be.
        announcements: All there shall be.
    """

    version: int
    subscriptions: tuple[Subscribe, ...]
    announcements: tuple[Announce, ...]


class Refuse(msgspec.Struct, frozen=True, array_like=True, tag=17):
    """The gateway refuses the link; dialling again does not help before something changed."""

    reason: str


class Taken(msgspec.Struct, frozen=True, array_like=True, tag=18):
    """The gateway answers for an event that its service keeps.

    Attributes:
        token: Of the event.
        taken: Whether the gateway has committed what it does with the event, so that the service
            may forget it; otherwise the service shall deliver it again.
    """

    token: int
    taken: bool = True


class View(msgspec.Struct, frozen=True, array_like=True, tag=19):
    """A replica of the gateway states which replicas there are, and which of them leads.

    It is the first that a replica says on a link, and said again whenever it changes. A gateway
    without replicas never says it.

    Attributes:
        number: Grows with each change of the members or the leader: a fencing term.
        replica: The one that says it.
        leader: The one that requests, signals and persistent events are for.
        members: All that live; they share the best-effort events by origin.
    """

    number: int
    replica: str
    leader: str
    members: tuple[str, ...]


FromAdapter = Heard | HeardControl | Done | Counted | Confirmed
"""What adapters send."""

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
"""What gateways send."""
