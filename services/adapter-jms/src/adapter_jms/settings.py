"""What `federation.yaml` may contain of a JMS event service."""

from typing import Annotated, Final, Literal

import msgspec
from eventservices.jms.message import Kind
from eventservices.jms.properties import PropertyType
from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import ACTIVEMQ, TopicNames
from msgspec import Meta

from adapter_jms.names import is_property

MOST_PROPERTIES: Final = 64
MOST_PREFETCH: Final = 1000


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics, or queues, of one kind of event, whose levels are parameters.

    Attributes:
        topic: Literal levels, or `{name}` for a parameter of type string; "" for queues.
        queue: The same of queues; "" for topics.
    """

    topic: str = ""
    queue: str = ""

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if bool(self.topic) == bool(self.queue):
            raise ValueError("expected either topic or queue")

    @property
    def kind(self) -> Kind:
        """Kind of its destinations."""
        return "topic" if self.topic else "queue"


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        routes: Destinations whose levels are parameters; any other is the subject of its event.
        destinations: Kind of the destinations that no route names.
        separator: What separates the levels of subjects in the federation. With `/`, `.` and `/`
            change places.
        properties: Parameters that are JMS properties, and their types: tests of them are applied
            by the broker.
        persistent: Whether subscriptions to topics are durable, and messages acknowledged once
            the gateway has custody of them.
        messages: Whether events are published as text or as map messages.
        max_bytes: Largest message that is published; as the broker's `maxFrameSize`.
        prefetch: Most messages of one subscription that the broker sends before some are
            acknowledged. The adapter keeps as many while the gateway has no room for them.
    """

    routes: tuple[Route, ...] = ()
    destinations: Kind = "topic"
    separator: Literal[".", "/"] = "."
    properties: dict[Name, PropertyType] = msgspec.field(default_factory=dict)
    persistent: bool = False
    messages: Literal["text", "map"] = "text"
    max_bytes: Annotated[int, Meta(ge=1024, le=100_000_000)] = 1_000_000
    prefetch: Annotated[int, Meta(ge=1, le=MOST_PREFETCH)] = 100

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        super().__post_init__()
        if len(self.properties) > MOST_PROPERTIES:
            raise ValueError(f"{len(self.properties)} properties, more than {MOST_PROPERTIES}")
        for name in self.properties:
            if not is_property(name):
                raise ValueError(f"{name[:80]!r} is not a name that a property may have")
        if "cloudevents-binary" in (self.payload, *(each.payload for each in self.routes)):
            raise ValueError("payload cloudevents-binary has no form in JMS")
        if self.messages == "map" and self.payload != "json":
            raise ValueError(f"map messages have no payload {self.payload!r}")

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its destination."""
        return tuple((each.topic or each.queue, each) for each in self.routes)

    def names(self) -> TopicNames:
        """Return how names are written."""
        return TopicNames(ACTIVEMQ, self.separator)

    def kind_of(self, route: int | None) -> Kind:
        """Return the kind of the destinations of a route, by its index; None for no route."""
        return self.destinations if route is None else self.routes[route].kind
