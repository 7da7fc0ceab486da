"""Sightings as JSON lines, for people."""

import base64
import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from eventservices.steam.beacon import Announcement, Membership
from eventservices.steam.content import Term
from eventservices.steam.event import Notification, Value
from eventservices.steam.observer import Sighting
from eventservices.steam.proximity import format_proximity


def line(sighting: Sighting) -> str:
    """Return a sighting as one line of JSON."""
    message = sighting.message
    parts: dict[str, Any] = {"seen": sighting.kind, "time_us": message.time_us}
    if isinstance(message, Notification):
        parts |= _notification(message)
    else:
        parts |= _beacon(message)
        parts["silent"] = sighting.silent
    parts |= {"subject": message.subject, "lat": message.position.lat, "lon": message.position.lon}
    return json.dumps(parts, ensure_ascii=False, allow_nan=False)


def _notification(notification: Notification) -> dict[str, Any]:
    stamp = notification.stamp
    return {
        "node": notification.node,
        "id": f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}",
        "home": stamp.home,
        "via": list(stamp.via),
        "range_m": notification.range_m,
        "proximity": format_proximity(notification.proximity),
        "parameters": _values(notification.parameters),
        "attributes": _values(notification.attributes),
    }


def _beacon(beacon: Announcement | Membership) -> dict[str, Any]:
    sender = beacon.sender
    parts = {"node": sender.node, "label": sender.label, "range_m": sender.range_m}
    if isinstance(beacon, Announcement):
        return parts | {"proximity": format_proximity(beacon.proximity)}
    return parts | {"number": beacon.number, "content": [_term(term) for term in beacon.content]}


def _values(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: _value(value) for name, value in values.items()}


def _value(value: Value) -> object:
    if isinstance(value, bytes):
        return {"octets": base64.b64encode(value).decode()}
    if isinstance(value, float) and not isfinite(value):
        return {"double": {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")}
    return value


def _term(term: Term) -> list[object]:
    upper = [] if term.upper is None else [_value(term.upper)]
    return [term.parameter, term.operator, _value(term.value), *upper]
