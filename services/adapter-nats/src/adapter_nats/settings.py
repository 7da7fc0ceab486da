"""Settings of a NATS event service in `federation.yaml`."""

from typing import Annotated, Literal

from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import NATS, TopicNames
from msgspec import Meta

StreamName = Annotated[str, Meta(max_length=255, pattern=r"^[\w-]*$")]
GroupName = Annotated[str, Meta(max_length=255, pattern=r"^[^*>\s]*$")]


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Subjects of one kind of event, whose tokens are parameters.

    Attributes:
        subject: Literal tokens, or `{name}` for a parameter of type string.
    """

    subject: Name


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        routes: Subjects whose tokens are parameters; any other subject is that of its event.
        separator: Separator of the levels of subjects in the federation. With `/`, `.` and `/` are
            exchanged, so that topics of MQTT keep their form.
        stream: Name of a JetStream stream that keeps the messages: they are fetched by a durable
            consumer and acknowledged once the gateway keeps them, and persistent events are
            published to it; "" for core NATS.
        queue: Group of clients among which the server divides the messages; "" where the adapter
            receives all.
        stamped: Whether messages without a stamp are left to another gateway's adapter.
    """

    routes: tuple[Route, ...] = ()
    separator: Literal[".", "/"] = "."
    stream: StreamName = ""
    queue: GroupName = ""
    stamped: bool = False

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its subject."""
        return tuple((each.subject, each) for each in self.routes)

    def names(self) -> TopicNames:
        """Return the conversion between subjects and topics."""
        return TopicNames(NATS, self.separator)
