"""What `federation.yaml` may say of an MQTT event service."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from fes.adapter.plain import RouteText, make_routes
from fes.errors import AdapterError
from fes.mapping.topics.levels import MQTT, TopicNames
from fes.payload.packing import Payload
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=512)]


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics of one kind of event, whose levels are parameters.

    Attributes:
        topic: Levels as they stand, or `{name}` for a parameter of type string.
        event: Subject of the events.
        payload: As of the event service.
        value: Parameter that a payload of one value is; "" for an object.
        retain: Whether the broker keeps the last event that is published.
    """

    topic: Name
    event: Name
    payload: Payload | None = None
    value: str = ""
    retain: bool = False


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        payload: How payloads are written and read.
        value: Parameter that a payload of one value is; "" for an object.
        routes: Topics whose levels are parameters; any other topic is the subject of its event.
        separator: What separates the levels of subjects in the federation. With `.`, `/` and `.`
            change places, so that subjects of NATS keep their look.
        escape: Further characters that the broker takes in no topic, e.g. a space.
        max_bytes: Largest payload that the broker takes; MQTT 3.1.1 does not tell.
        own_s: How long a publication of the adapter's own is known again; seconds.
    """

    payload: Payload = "json"
    value: str = ""
    routes: tuple[Route, ...] = ()
    separator: Literal["/", "."] = "/"
    escape: Annotated[str, Meta(max_length=16, pattern=r"^[ !-$&-.:-@\[-`{-}~]*$")] = ""
    max_bytes: Annotated[int, Meta(ge=1024, le=268_435_455)] = 1_000_000
    own_s: Annotated[float, Meta(ge=1, le=3600)] = 30.0

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        make_routes(self.texts(), self.names())
        payloads = [self.payload, *(text.payload for text in self.texts())]
        if "cloudevents-binary" in payloads:
            raise ValueError("cloudevents-binary needs headers, which MQTT 3.1.1 has not")

    def texts(self) -> tuple[RouteText, ...]:
        """Return the routes in the form that adapters share."""
        return tuple(
            RouteText(each.topic, each.event, each.payload or self.payload, each.value)
            for each in self.routes
        )

    def names(self) -> TopicNames:
        """Return the way of names."""
        syntax = replace(MQTT, illegal="".join({*MQTT.illegal, *self.escape}))
        return TopicNames(syntax, self.separator)


def read(settings: Mapping[str, Any]) -> Settings:
    """Return settings, checked.

    Raises:
        AdapterError: One is unknown or not valid; the message names it.
    """
    try:
        return msgspec.convert(dict(settings), Settings)
    except msgspec.ValidationError as error:
        raise AdapterError(f"settings: {error}") from error
