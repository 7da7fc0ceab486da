"""What `observe` prints: one JSON object a line."""

import base64
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from eventservices.siena.presence import Kind
from eventservices.siena.seen import Seen
from eventservices.siena.text import format_filter, format_notification, format_pattern
from eventservices.siena.values import Value
from eventservices.stamp import Stamp

_encoder = msgspec.json.Encoder()

_WORDS = {
    (Kind.SUBSCRIPTION, False): "subscription",
    (Kind.SUBSCRIPTION, True): "unsubscription",
    (Kind.ADVERTISEMENT, False): "advertisement",
    (Kind.ADVERTISEMENT, True): "unadvertisement",
}


def notification_line(notification: Mapping[str, Value], stamp: Stamp | None) -> str:
    """Return a notification as a line.

    Doubles that JSON cannot express are `{"double": …}`, octets `{"octets": <base64>}`.
    """
    return _line(
        {
            "type": "notification",
            "stamp": None if stamp is None else _stamp(stamp),
            "attributes": {name: _value(value) for name, value in notification.items()},
            "text": format_notification(notification),
        }
    )


def declaration_line(seen: Seen) -> str:
    """Return a subscription or advertisement, or its withdrawal, as a line."""
    members = {
        "type": _WORDS[seen.kind, seen.withdrawn],
        "party": seen.party,
        "role": seen.role,
        "filter": format_filter(seen.filter),
        "version": seen.version,
        "connection": seen.connection,
    }
    if seen.pattern is not None:
        members["pattern"] = format_pattern(seen.pattern)
    return _line(members)


def _line(members: dict[str, Any]) -> str:
    return _encoder.encode(members).decode()


def _stamp(stamp: Stamp) -> dict[str, Any]:
    return {
        "id": f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}",
        "time_us": stamp.time_us,
        "home": stamp.home,
        "via": list(stamp.via),
    }


def _value(value: Value) -> Any:
    if isinstance(value, bytes):
        return {"octets": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"double": str(value)}
    return value
