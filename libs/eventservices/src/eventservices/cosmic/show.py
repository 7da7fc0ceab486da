"""Frames and events as JSON lines, for people."""

import json
from math import isfinite
from typing import Any

from eventservices.cosmic.event import Delivery
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.record import Kind, Record, decode
from eventservices.errors import MalformedError


def frame_line(frame: Frame) -> str:
    """Return a frame as one line of JSON; a 29-bit identifier also in its parts."""
    parts: dict[str, Any] = {"seen": "frame", "time_us": frame.time_us}
    parts["id"] = f"{frame.can_id:08X}" if frame.extended else f"{frame.can_id:03X}"
    if frame.extended:
        parts |= frame.identifier._asdict()
        parts["class"] = frame.identifier.time_class.value
    return _line(parts | {"data": frame.data.hex()})


def event_line(delivery: Delivery) -> str:
    """Return an event as one line of JSON."""
    parts: dict[str, Any] = {"seen": "event", "time_us": delivery.frame.time_us}
    parts |= {"subject": delivery.subject, "class": delivery.frame.identifier.time_class.value}
    stamp = delivery.stamp
    if stamp is not None:
        parts |= {
            "id": f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}",
            "event_time_us": stamp.time_us,
            "home": stamp.home,
            "via": list(stamp.via),
        }
    parts["attributes"] = {name: _value(value) for name, value in delivery.attributes.items()}
    return _line(parts | _content(delivery))


def _content(delivery: Delivery) -> dict[str, Any]:
    if delivery.typed:
        try:
            return {"record": _record(decode(delivery.content))}
        except MalformedError as error:
            return {"content": delivery.content.hex(), "malformed": str(error)}
    return {"content": delivery.content.hex()}


def _record(record: Record) -> dict[str, Any]:
    shown = {
        each.name: _record(each.value) if each.kind is Kind.RECORD else _value(each.value)
        for each in record.items
    }
    context = {each.name: _value(each.value) for each in record.context}
    return {"subject": record.subject, "items": shown, "context": context}


def _value(value: Any) -> object:
    if isinstance(value, Record):
        return _record(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    return value


def _line(parts: dict[str, Any]) -> str:
    return json.dumps(parts, ensure_ascii=False, allow_nan=False)
