"""Settings that the adapters of plain, topic-based systems share, and their codec."""

from abc import abstractmethod
from typing import Annotated

import msgspec
from msgspec import Meta

from fes.adapter.context import AdapterContext
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import PAYLOAD_FACTOR, PlainCodec, RouteText, make_routes
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping.topics.levels import TopicNames
from fes.mapping.topics.sources import topics_of
from fes.payload.packing import Payload

Name = Annotated[str, Meta(min_length=1, max_length=512)]


class PlainRoute(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics of one kind of event, whose levels are parameters.

    Attributes:
        event: Subject of the events.
        payload: As for the event service.
        value: Parameter of which the payload is the value; "" where the payload is an object.
    """

    event: Name
    payload: Payload | None = None
    value: str = ""


class PlainSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a plain event service, or of one adapter.

    Attributes:
        payload: Format in which payloads are written, and read where nothing else specifies it.
        value: Parameter of which the payload is the value; "" where the payload is an object.
    """

    payload: Payload = "json"
    value: str = ""

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        make_routes(self.texts(), self.names())

    @abstractmethod
    def names(self) -> TopicNames:
        """Return the conversion between subjects and topics."""

    @abstractmethod
    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its topic."""

    def texts(self) -> tuple[RouteText, ...]:
        """Return the routes in the form that adapters share."""
        return tuple(
            RouteText(topic, each.event, each.payload or self.payload, each.value)
            for topic, each in self.topics()
        )

    def codec(self, context: AdapterContext, *, headers: bool = True) -> PlainCodec:
        """Return the codec of messages.

        Args:
            context: The adapter's.
            headers: Whether messages have headers.
        """
        return PlainCodec(
            self.names(),
            self.texts(),
            self.payload,
            self.value,
            context.mapping,
            PAYLOAD_FACTOR * context.limits.event_bytes,
            headers=headers,
        )

    def native_form(self, filter_: Filter, mapping: EventMapping) -> NativeForm:
        """Return the topics of a filter."""
        found = topics_of(filter_.tree, mapping, make_routes(self.texts(), self.names()))
        return NativeForm(found.patterns, found.widened)
