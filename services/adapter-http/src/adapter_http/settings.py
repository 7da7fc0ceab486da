"""Settings of an HTTP event service in `federation.yaml`."""

from contextlib import suppress
from typing import Annotated, Final, Literal

from eventservices.addresses import split_url
from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import TopicNames
from fes.payload.bindings import Binding
from msgspec import Meta, Struct

from adapter_http.allowed import AllowList
from adapter_http.mapping import NAMES

PAYLOAD_BYTES: Final = 1024 * 1024
"""Largest body, unless the file specifies another."""

File = Annotated[str, Meta(max_length=4096)]
Mode = Literal["structured", "binary"]


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Types of one kind of event, whose levels are parameters.

    Attributes:
        type: Literal levels, or `{name}` for a parameter of type string.
        payload: CloudEvents, in any mode.
    """

    type: Name
    payload: Literal["cloudevents"] | None = None


class Target(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A webhook to which events are posted.

    Attributes:
        url: Its URL, without user and password.
        types: Types of the events that it receives: `*` is one level, `>` the last ones.
        mode: Mode in which events are posted.
        token_file: File with the token sent as `Authorization: Bearer`; "" for none.
        signing_file: File with the key of the signature; "" for no signature.
    """

    url: Annotated[str, Meta(pattern=r"^https?://[^\s/]", max_length=2048)]
    types: tuple[Name, ...] = (">",)
    mode: Mode = "structured"
    token_file: File = ""
    signing_file: File = ""


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        payload: CloudEvents, in any mode.
        routes: Types whose levels are parameters; any other type is the subject of its event.
        secret_file: File with the secret that clients send as `Authorization: Bearer`.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.
        path: Path of the webhook.
        origins: Origins that the handshake permits to send; `*` for all.
        max_bytes: Largest body, either direction.
        max_batch: Most events of a batch.
        concurrency: Most requests at once; above it they are answered 429.
        targets: Webhooks to which events are posted.
        allow: Networks in which targets may be, such as `10.0.0.0/8`; without any, none is
            permitted.
        attempts: Most attempts to deliver an event to a target.
        retry_s: Longest time of these attempts, seconds.
        queue: Most events that wait for a target; further ones are dropped and counted.
        stamped: Whether events without a stamp are left to another gateway's adapter.
    """

    payload: Literal["cloudevents"] = "cloudevents"
    routes: tuple[Route, ...] = ()
    secret_file: Annotated[str, Meta(min_length=1, max_length=4096)]
    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8092
    path: Annotated[str, Meta(pattern=r"^/[!-~]*$", max_length=1024)] = "/events"
    origins: tuple[Name, ...] = ("*",)
    max_bytes: Annotated[int, Meta(ge=1024, le=PAYLOAD_BYTES)] = PAYLOAD_BYTES
    max_batch: Annotated[int, Meta(ge=1, le=10_000)] = 1000
    concurrency: Annotated[int, Meta(ge=1, le=150)] = 32
    targets: Annotated[tuple[Target, ...], Meta(max_length=64)] = ()
    allow: Annotated[tuple[str, ...], Meta(max_length=256)] = ()
    attempts: Annotated[int, Meta(ge=1, le=20)] = 5
    retry_s: Annotated[float, Meta(gt=0, le=600)] = 30.0
    queue: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    stamped: bool = False

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        super().__post_init__()
        allowed = AllowList(self.allow)
        for target in self.targets:
            parts = split_url(target.url)
            host = parts.hostname or ""
            if parts.username is not None or not host:
                raise ValueError("a target's url has a host, and neither user nor password")
            permitted = bool(self.allow)
            with suppress(ValueError):  # a name is checked when it is resolved
                permitted = permitted and allowed.permits(host)
            if not permitted:
                raise ValueError(f"target {host} is not in the allow-list `allow`")

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its type."""
        return tuple((each.type, each) for each in self.routes)

    def binding(self) -> Binding | None:
        """Return that CloudEvents are in structured mode; requests are converted before."""
        return None

    def names(self) -> TopicNames:
        """Return the conversion between subjects and types."""
        return NAMES
