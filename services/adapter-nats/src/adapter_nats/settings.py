"""What `federation.yaml` may say of a NATS event service."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from fes.adapter.plain import RouteText, make_routes
from fes.errors import AdapterError
from fes.mapping.topics.levels import NATS, TopicNames
from fes.payload.packing import Payload
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=512)]


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Subjects of one kind of event, whose tokens are parameters.

    Attributes:
        subject: Tokens as they stand, or `{name}` for a parameter of type string.
        event: Subject of the events.
        payload: As of the event service.
        value: Parameter that a payload of one value is; "" for an object.
    """

    subject: Name
    event: Name
    payload: Payload | None = None
    value: str = ""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        payload: How payloads are written, and read where a message's `Content-Type` does not tell.
        value: Parameter that a payload of one value is; "" for an object.
        routes: Subjects whose tokens are parameters; any other subject is that of its event.
        separator: What separates the levels of subjects in the federation. With `/`, `.` and `/`
            change places, so that topics of MQTT keep their look.
        stamped: Whether messages without a stamp are left to another gateway's adapter.
    """

    payload: Payload = "json"
    value: str = ""
    routes: tuple[Route, ...] = ()
    separator: Literal[".", "/"] = "."
    stamped: bool = False

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        make_routes(self.texts(), self.names())

    def texts(self) -> tuple[RouteText, ...]:
        """Return the routes in the form that adapters share."""
        return tuple(
            RouteText(each.subject, each.event, each.payload or self.payload, each.value)
            for each in self.routes
        )

    def names(self) -> TopicNames:
        """Return the way of names."""
        return TopicNames(NATS, self.separator)


def read(settings: Mapping[str, Any]) -> Settings:
    """Return settings, checked.

    Raises:
        AdapterError: One is unknown or not valid; the message names it.
    """
    try:
        return msgspec.convert(dict(settings), Settings)
    except msgspec.ValidationError as error:
        raise AdapterError(f"settings: {error}") from error
