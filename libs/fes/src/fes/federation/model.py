"""The federation file as data: what `federation.yaml` may contain."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fes.federation.bounds import Bounds, EventLog, Positive
from fes.federation.guides import NamingPart, PolicyPart
from fes.federation.login import Login
from fes.federation.names import Name
from fes.federation.scopes.model import ClientPart, ScopePart

RequestWord = Literal[
    "announcement", "unannouncement", "subscription", "unsubscription", "publication"
]
"""The type of a control event, as in the file."""

ALL_REQUESTS: tuple[RequestWord, ...] = (
    "announcement",
    "unannouncement",
    "subscription",
    "unsubscription",
    "publication",
)

Settings = dict[str, Any]
"""Settings for the adapter, checked by the schema of its kind."""

Microseconds = Annotated[int, Meta(ge=0, le=2**53)]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every part of the file: unknown keys are errors."""


class Clock(Section, frozen=True, kw_only=True):
    """The federation clock: time = start + (wall clock - wall_start) * speed.

    Attributes:
        start: First moment of the trace: seconds since 1970 UTC, or ISO 8601 (UTC where it names
            no zone); absent for the wall clock's own time.
        speed: Seconds of the trace in a second of the wall clock; 20 is twenty times as fast.
        wall_start_us: Wall clock at `start`, microseconds since 1970 UTC; `fes run` fills it in.
    """

    start: float | str | UnsetType = UNSET
    speed: Annotated[float, Meta(gt=0, le=1_000_000)] = 1.0
    wall_start_us: Microseconds | UnsetType = UNSET


class Medium(Section, frozen=True, kw_only=True):
    """A shared wireless medium: what one of its access points sends, all in range receive.

    Attributes:
        description: For people.
    """

    description: str = ""


class Broker(Login, frozen=True, kw_only=True):
    """A server that event services run on.

    Attributes:
        kind: `nats` and `mqtt` are started by `fes run`; any other needs a url.
        cluster: Brokers that name the same cluster form one.
        url: Where it listens; absent to have `fes run` start an embedded one.
        mechanism: Of Kafka: SASL mechanism of name and password; absent for PLAIN.
    """

    kind: Annotated[str, Meta(min_length=1, max_length=64)]
    cluster: Name | UnsetType = UNSET
    url: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | UnsetType = UNSET


class EventService(Section, frozen=True, kw_only=True):
    """An event service of the federation.

    Attributes:
        kind: Its adapter: a name among the entry points `fes.adapters`.
        brokers: The servers that it runs on, in order of preference.
        medium: The shared medium of which it is an access point; absent where it is wired.
        settings: Settings for the adapter.
    """

    kind: Annotated[str, Meta(min_length=1, max_length=64)]
    brokers: tuple[Name, ...] = ()
    medium: Name | UnsetType = UNSET
    settings: Settings = {}


class Control(Section, frozen=True, kw_only=True):
    """Which control events may enter at an adapter, and whether they are forwarded there.

    On a wired event service an absent key permits all; on a medium both keys are required.

    Attributes:
        accept: Types of control events that may enter.
        relay: Whether the gateway forwards control events to this event service.
    """

    accept: tuple[RequestWord, ...] | UnsetType = UNSET
    relay: bool | UnsetType = UNSET

    @property
    def accepted(self) -> tuple[RequestWord, ...]:
        """The types that may enter."""
        return ALL_REQUESTS if self.accept is UNSET else self.accept

    @property
    def relays(self) -> bool:
        """Whether control events are forwarded."""
        return True if self.relay is UNSET else self.relay


class Observe(Section, frozen=True, kw_only=True):
    """Which declarations of native clients become requests, and for which event services.

    Attributes:
        subscriptions: Distribution list of the subscriptions that are made from native ones; empty
            where none are made.
        announcements: The same for announcements.
        lease_s: How long such a request lasts once its adapter no longer renews it; seconds.
        limit: Most different requests at a time; further ones are refused and counted.
    """

    subscriptions: str = ""
    announcements: str = ""
    lease_s: Annotated[float, Meta(ge=10, le=86_400)] = 60.0
    limit: Positive = 1000

    @property
    def on(self) -> bool:
        """Whether anything becomes a request."""
        return bool(self.subscriptions or self.announcements)


class Adapter(Section, frozen=True, kw_only=True):
    """An adapter between one gateway and one event service.

    Attributes:
        mappings: Names of mappings; every rule that matches an event makes one, in their order.
        control: Which control events may enter and leave here.
        observe: Which declarations of native clients here become requests.
        settings: Settings for this adapter; they override the event service's.
    """

    mappings: tuple[Name, ...] = ()
    control: Control = Control()
    observe: Observe = Observe()
    settings: Settings = {}


class Http(Section, frozen=True, kw_only=True):
    """Where an HTTP interface listens.

    Attributes:
        host: Address or name; loopback by default.
        port: Port; with 0 the system chooses one.
    """

    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080


class Store(Login, frozen=True, kw_only=True):
    """Where a gateway keeps its journal.

    Attributes:
        kind: `sqlite` is a file in the run's folder, for replicas on one host; `jetstream` a stream
            of NATS servers, for replicas on several.
        url: Of `jetstream`: addresses of its servers, separated by commas.
        copies: Of `jetstream`: number of servers that keep the stream; with 3, one of them may
            fail.
    """

    kind: Literal["sqlite", "jetstream"] = "sqlite"
    url: Annotated[str, Meta(min_length=1, max_length=2000)] | UnsetType = UNSET
    copies: Literal[1, 3] = 1

    @property
    def urls(self) -> tuple[str, ...]:
        """Addresses of its servers, in order of preference."""
        return () if self.url is UNSET else tuple(url.strip() for url in self.url.split(","))


class Gateway(Section, frozen=True, kw_only=True):
    """A gateway and its adapters.

    Attributes:
        adapters: By event service, in order; an adapter's identifier is
            `<gateway>.<event service>`.
        http: The gateway's own interface, beside that of `fes run`; the gateway then has a process
            of its own.
        store: Where it keeps its journal.
    """

    adapters: Annotated[dict[Name, Adapter], Meta(min_length=1)]
    http: Http | UnsetType = UNSET
    store: Store = Store()


class Request(Section, frozen=True, kw_only=True):
    """A static request: active from the start.

    Attributes:
        gateway: The gateway at which it enters the federation.
        type: What is requested.
        source: The event service that it comes from: matching events are published there.
        dist_list: The event services where it shall be applied.
        filter: Of (un)subscriptions: which events, in the filter language.
        event: Of (un)announcements: the event, as `{subject, parameters, attributes}`.
    """

    gateway: Name
    type: Literal["announcement", "unannouncement", "subscription", "unsubscription"]
    source: Name
    dist_list: Annotated[str, Meta(min_length=1)]
    filter: str | UnsetType = UNSET
    event: dict[str, Any] | UnsetType = UNSET


class DomainConnection(Section, frozen=True, kw_only=True):
    """A connection that a domain of event channels runs between two event services.

    The federation does not run it; it is in the file so that circles are found.

    Attributes:
        supplier: The event service whose events pass.
        consumer: The event service to which they go.
    """

    supplier: Name
    consumer: Name


class Application(Section, frozen=True, kw_only=True):
    """A native application that `fes run` starts and watches.

    Attributes:
        command: Program and arguments; no shell.
        after: Applications, or gateways, that must be ready before.
        ready: URL that answers 200 once it is ready; absent where starting it is enough.
        ends_run: Whether the run ends when it ends.
        ends_last: Whether it is stopped after the gateways, so that an observer sees what they
            withdraw.
        environment: Variables for it alone.
    """

    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    after: tuple[Name, ...] = ()
    ready: Annotated[str, Meta(pattern="^https?://")] | UnsetType = UNSET
    ends_run: bool = False
    ends_last: bool = False
    environment: dict[str, str] = {}


class Federation(Section, frozen=True, kw_only=True):
    """A federation: the one file that describes it, version 1.

    Attributes:
        version: Version of the file's format.
        system: Identifier of the federation; control events of another are ignored.
        clock: The federation clock.
        media: Shared wireless media, by name.
        brokers: Servers that event services run on, by name.
        event_services: Event services, by name, in order.
        gateways: Gateways, by name; their order and that of their adapters decide the routes.
        mappings: Named lists of mapping rules.
        requests: Static requests.
        clients: Clients of event services that are components of their own, by name.
        scopes: Who sees what of whom, by name; everybody sees everything where there are none.
        naming: The naming service that gateways query; subscriptions apply wherever their lists
            state where it is absent.
        policy: The policy service that decides about subscriptions; all are permitted where it is
            absent.
        applications: Native applications, by name.
        connections: Connections of event domains between event services.
        limits: Limits of the whole federation.
        event_log: How decisions are logged.
        http: Where the interface of `fes run` listens; a free port on loopback where absent.
    """

    version: Literal[1]
    system: Name
    clock: Clock = Clock()
    media: dict[Name, Medium] = {}
    brokers: dict[Name, Broker] = {}
    event_services: Annotated[dict[Name, EventService], Meta(min_length=1)]
    gateways: Annotated[dict[Name, Gateway], Meta(min_length=1)]
    mappings: dict[Name, tuple[Settings, ...]] = {}
    requests: tuple[Request, ...] = ()
    clients: dict[Name, ClientPart] = {}
    scopes: dict[Name, ScopePart] = {}
    naming: NamingPart | UnsetType = UNSET
    policy: PolicyPart | UnsetType = UNSET
    applications: dict[Name, Application] = {}
    connections: tuple[DomainConnection, ...] = ()
    limits: Bounds = Bounds()
    event_log: EventLog = EventLog()
    http: Http | UnsetType = UNSET


def adapter_id(gateway: str, event_service: str) -> str:
    """Return the identifier of the adapter between a gateway and an event service."""
    return f"{gateway}.{event_service}"


def settings_of(federation: Federation, gateway: str, event_service: str) -> Settings:
    """Return the settings of an adapter: its own over those of its event service."""
    shared = federation.event_services[event_service].settings
    return {**shared, **federation.gateways[gateway].adapters[event_service].settings}


def is_on_medium(federation: Federation, event_service: str) -> bool:
    """Return whether an event service is an access point of a shared medium."""
    return federation.event_services[event_service].medium is not UNSET
