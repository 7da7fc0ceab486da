"""Events and values as JSON for people, and back.

Text, booleans, integers, finite doubles, sequences and structs are written plainly. What JSON
cannot express is wrapped: `{"double": "NaN"}`, `{"octets": "<base64>"}`, `{"longlong": 5}` (where
32 bits would be enough) and `{"event": {…}}`.
"""

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any

from eventservices.cns.changes import Member
from eventservices.cns.event import AnyEvent, StructuredEvent, structured_event
from eventservices.cns.event_type import EventType
from eventservices.cns.value import LongLong, Value
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp

_WRAPPERS = frozenset({"double", "octets", "longlong", "event"})


def show_value(value: Value) -> Any:
    """Return a value as what `json.dumps` accepts."""
    if isinstance(value, Mapping):
        return {name: show_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [show_value(item) for item in value]
    if isinstance(value, StructuredEvent):
        return {"event": show_event(value)}
    return _wrap(value)


def read_value(shown: Any) -> Value:
    """Return the value that `show_value` showed.

    Raises:
        MalformedError: A wrapper contains something else than it should.
    """
    if isinstance(shown, list):
        return [read_value(item) for item in shown]
    if not isinstance(shown, dict):
        plain: Value = shown
        return plain
    if len(shown) == 1 and _WRAPPERS & shown.keys():
        [(wrapper, held)] = shown.items()
        try:
            return _unwrap(wrapper, held)
        except (TypeError, ValueError, KeyError, binascii.Error) as error:
            raise MalformedError(f"not a {wrapper}: {held!r}") from error
    return {name: read_value(item) for name, item in shown.items()}


def show_event(event: AnyEvent | StructuredEvent) -> dict[str, Any]:
    """Return an event as what `json.dumps` accepts."""
    if isinstance(event, AnyEvent):
        return {"any": show_value(event.value)}
    return {
        "type": list(event.event_type),
        "name": event.event_name,
        "variable_header": show_value(event.header.variable_header),
        "filterable_data": show_value(event.filterable_data),
        "body": show_value(event.remainder_of_body),
    }


def show_stamp(stamp: Stamp | None) -> dict[str, Any] | None:
    """Return a stamp as what `json.dumps` accepts; None where the event has none."""
    if stamp is None:
        return None
    return {
        "id": f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}",
        "time_us": stamp.time_us,
        "home": stamp.home,
        "via": list(stamp.via),
    }


def show_member(member: Member) -> dict[str, Any]:
    """Return a member's offers and subscriptions as what `json.dumps` accepts."""
    return {
        "client": member.client,
        "member": member.id,
        "offers": show_types(sorted(member.offers)),
        "subscriptions": show_types(sorted(member.subscriptions)),
    }


def show_types(types: tuple[EventType, ...] | list[EventType]) -> list[list[str]]:
    """Return event types as pairs."""
    return [list(item) for item in types]


def _wrap(value: Value) -> Any:
    if isinstance(value, bytes):
        return {"octets": base64.b64encode(value).decode()}
    if isinstance(value, LongLong):
        return {"longlong": int(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"double": {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")}
    return value


def _unwrap(wrapper: str, held: Any) -> Value:
    if wrapper == "octets":
        return base64.b64decode(held, validate=True)
    if wrapper == "longlong":
        return LongLong(held)
    if wrapper == "double":
        return float(held)
    domain, kind = held["type"]
    return structured_event(
        (domain, kind),
        held["name"],
        variable_header={n: read_value(v) for n, v in held["variable_header"].items()},
        filterable_data={n: read_value(v) for n, v in held["filterable_data"].items()},
        body=read_value(held["body"]),
    )
