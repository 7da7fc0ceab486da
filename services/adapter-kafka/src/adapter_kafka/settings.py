"""Settings of a Kafka event service in `federation.yaml`."""

from typing import Annotated, Literal

from fes.adapter.plain.settings import Name, PlainRoute, PlainSettings
from fes.mapping.topics.levels import KAFKA, TopicNames
from fes.payload.bindings import KAFKA as BINDING
from fes.payload.bindings import Binding
from msgspec import Meta

Group = Annotated[str, Meta(max_length=255, pattern=r"^[ -~]*$")]


class Route(PlainRoute, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics of one kind of event, whose levels are parameters.

    Attributes:
        topic: Literal levels, or `{name}` for a parameter of type string.
        key: Parameter, a string, that is the key of published records; "" for none. The attribute
            `Key` of an event prevails.
    """

    topic: Name
    key: str = ""


class Settings(PlainSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        routes: Topics whose levels are parameters; any other topic is the subject of its event.
        separator: Separator of the levels of subjects in the federation. With `/`, `.` and `/` are
            exchanged.
        group: Consumer group; "" is `fes.<system>.<adapter>`. Adapters of one group divide the
            partitions.
        start: Where a group without a committed offset begins.
        stamped: Whether records without a stamp are left to another gateway's adapter.
        max_bytes: Largest record that is published; the same as the broker's `message.max.bytes`.
    """

    routes: tuple[Route, ...] = ()
    separator: Literal[".", "/"] = "."
    group: Group = ""
    start: Literal["latest", "earliest"] = "latest"
    stamped: bool = False
    max_bytes: Annotated[int, Meta(ge=1024, le=1_000_000_000)] = 1_000_000

    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its topic."""
        return tuple((each.topic, each) for each in self.routes)

    def binding(self) -> Binding | None:
        """Return how headers have CloudEvents."""
        return BINDING

    def names(self) -> TopicNames:
        """Return the conversion between subjects and topics."""
        return TopicNames(KAFKA, self.separator)
