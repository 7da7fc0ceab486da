"""What payloads cannot carry: counted where it is lost, and in words before."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from fes.payload.bodies import SchemaCodec


@dataclass(slots=True)
class Losses:
    """Counts what is lost between events and payloads.

    Attributes:
        fields_lost: Parameters that a schema has no place for, and Protobuf messages with fields
            that it does not know.
        types_changed: Values that come back as another type, equal in value.
        precision_lost: Numbers that a shorter type rounds.
        details_lost: Metrics of Sparkplug with properties, or with a time of their own.
    """

    fields_lost: int = 0
    types_changed: int = 0
    precision_lost: int = 0
    details_lost: int = 0

    def by_name(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


def lost_by(
    payload: str, value: str, schema: SchemaCodec | None, *, headers: bool
) -> Iterator[str]:
    """Yield what a kind of payload does not carry of an event, in words.

    Args:
        payload: As the federation's file has it.
        value: Parameter that a payload of one value is; "" for an object.
        schema: Of Avro or Protobuf payloads.
        headers: Whether a message has headers, in which attributes and types are.
    """
    if payload in ("text", "raw") or value:
        yield f"only events of the one parameter {value or 'value'!r}; others are refused"
    if payload == "text":
        yield "octets, NaN and events in events are refused"
    if payload == "raw":
        yield "values that are not octets are refused"
    if payload in ("avro", "protobuf"):
        yield "parameters without a field in the schema are left out (fields_lost)"
        yield "integers of real fields arrive as doubles (types_changed)"
    if schema is not None:
        yield from schema.notes
    if payload == "sparkplug":
        yield "objects and arrays of several types are refused; templates are only read"
    if headers or payload.startswith("cloudevents"):
        return
    yield "attributes are left out (attributes_lost)"
    if payload in ("json", "msgpack"):
        octets = "octets arrive as base64 text, NaN as text, " if payload == "json" else ""
        yield f"{octets}a small longlong arrives as a long (types_lost)"
