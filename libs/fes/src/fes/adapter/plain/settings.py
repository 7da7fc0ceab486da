"""Settings that the adapters of plain, topic-based systems share, and their codec."""

import time
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import Meta

from fes.adapter.context import AdapterContext
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import PAYLOAD_FACTOR, PlainCodec, RouteText, make_routes
from fes.adapter.settings import setting_fault
from fes.errors import FederationError
from fes.federation.capabilities import Notes
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping.topics.levels import MQTT, TopicNames
from fes.mapping.topics.sources import Topics, topics_of
from fes.mapping.topics.tree import least
from fes.payload.bindings import NATS, Binding
from fes.payload.bodies import SchemaCodec
from fes.payload.by_schema.loading import load_schemas, needs_package
from fes.payload.by_schema.schemas import Schema, form_of_schema
from fes.payload.losses import Losses, lost_by
from fes.payload.packing import Payload
from fes.payload.sparkplug.topics import WIDENED, with_births

if TYPE_CHECKING:  # its library is optional
    from fes.payload.sparkplug.codec import SparkplugCodec

NO_SCHEMAS: Final[Mapping[int, SchemaCodec]] = MappingProxyType({})

Name = Annotated[str, Meta(min_length=1, max_length=512)]


class PlainRoute(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Topics of one kind of event, whose levels are parameters.

    Attributes:
        event: Subject of the events.
        payload: As of the event service.
        value: Parameter that a payload of one value is; "" for an object.
        schema: That Avro or Protobuf payloads follow; without it that of the event service.
    """

    event: Name
    payload: Payload | None = None
    value: str = ""
    schema: Schema | None = None


class PlainSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a plain event service, or of one adapter.

    Attributes:
        payload: How payloads are written, and read where nothing else specifies it.
        value: Parameter that a payload of one value is; "" for an object.
        schema: That Avro or Protobuf payloads follow.
    """

    payload: Payload = "json"
    value: str = ""
    schema: Schema | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        make_routes(self.texts(), self.names())
        for payload, schema in self.payloads():
            if payload in ("avro", "protobuf") and schema is None:
                raise ValueError(f"payload {payload} needs a schema")
            if schema is not None:
                schema.check(form_of_schema(payload, schema))
            if payload == "sparkplug" and self.names().syntax.name != MQTT.name:
                raise ValueError("sparkplug is a payload of MQTT")

    @abstractmethod
    def names(self) -> TopicNames:
        """Return the conversion between subjects and topics."""

    @abstractmethod
    def topics(self) -> tuple[tuple[str, PlainRoute], ...]:
        """Return the routes, each with its topic."""

    def binding(self) -> Binding | None:
        """Return how headers have CloudEvents in binary mode; None where there are no headers."""
        return NATS

    def payloads(self) -> tuple[tuple[Payload, Schema | None], ...]:
        """Return how payloads are written, and by which schema: the default, then each route's."""
        routes = ((each.payload or self.payload, each.schema) for _, each in self.topics())
        own = ((payload, schema or self.schema) for payload, schema in routes)
        return ((self.payload, self.schema), *own)

    def texts(self, schemas: Mapping[int, SchemaCodec] = NO_SCHEMAS) -> tuple[RouteText, ...]:
        """Return the routes in the form that adapters share.

        Args:
            schemas: Those that were read, by their place in `payloads`.
        """
        return tuple(
            RouteText(topic, each.event, each.payload or self.payload, each.value, schemas.get(at))
            for at, (topic, each) in enumerate(self.topics(), 1)
        )

    def notes(self, base: Path) -> Notes:
        """Return what is wrong with the schemas, and what payloads do not carry."""
        places = [("", self.value), *((topic, each.value) for topic, each in self.topics())]
        found: dict[str, None] = {}
        try:
            schemas = load_schemas(self.payloads(), base, Losses())
        except FederationError as error:
            return Notes((error.reason,))
        for at, ((payload, _), (topic, value)) in enumerate(
            zip(self.payloads(), places, strict=True)
        ):
            where = f"topic {topic}: " if topic else ""
            has_headers = self.binding() is not None
            for text in lost_by(payload, value, schemas.get(at), headers=has_headers):
                found[f"{where}payload {payload}: {text}"] = None
        return Notes((), tuple(found))

    def codec(self, context: AdapterContext) -> PlainCodec:
        """Return what writes and reads messages.

        Args:
            context: Where the adapter is.

        Raises:
            FederationError: A schema cannot be read.
        """
        losses = Losses()
        try:
            schemas = load_schemas(self.payloads(), Path(context.base), losses)
        except FederationError as error:
            raise setting_fault(context.service, "settings", error.reason, "schema") from error
        return PlainCodec(
            self.names(),
            self.texts(schemas),
            RouteText("", "", self.payload, self.value, schemas.get(0)),
            context.mapping,
            PAYLOAD_FACTOR * context.limits.event_bytes,
            binding=self.binding(),
            losses=losses,
            sparkplug=self._sparkplug(context, losses),
        )

    def _sparkplug(self, context: AdapterContext, losses: Losses) -> "SparkplugCodec | None":
        if all(payload != "sparkplug" for payload, _ in self.payloads()):
            return None
        try:
            from fes.payload.sparkplug.codec import SparkplugCodec  # noqa: PLC0415 - the libraries of schemas are an extra
        except ImportError as error:
            reason = needs_package("sparkplug", "protobuf")
            raise setting_fault(context.service, "settings", reason, "payload") from error
        return SparkplugCodec(losses, time.monotonic, rebirths=self.requests_rebirth())

    def requests_rebirth(self) -> bool:
        """Return whether Sparkplug nodes are requested to repeat their births."""
        return True

    def native_form(self, filter_: Filter, mapping: EventMapping) -> NativeForm:
        """Return the topics that a filter becomes."""
        found = self.topics_for(filter_, mapping)
        return NativeForm(found.patterns, found.widened)

    def topics_for(self, filter_: Filter, mapping: EventMapping) -> Topics:
        """Return the topics to subscribe to for a filter; with Sparkplug also those of births."""
        routes = make_routes(self.texts(), self.names())
        found = topics_of(filter_.tree, mapping, routes)
        if all(payload != "sparkplug" for payload, _ in self.payloads()):
            return found
        patterns, is_wider = with_births(found.patterns)
        if not is_wider:
            return found
        return Topics(least(patterns, routes.names.syntax), (*found.widened, WIDENED))
