"""Control events as events of the model, and back.

The request is in the parameters, as the thesis has it; bookkeeping is in the attributes:

| attribute       | type     | meaning                                                     |
|-----------------|----------|-------------------------------------------------------------|
| FES_System      | string   | system identifier; another system's control events are ignored |
| FES_Id          | string   | the request id, where it is not the native publisher's stamp |
| FES_EventStamp  | string   | of a publication: the stamp of the event in it              |
| FES_Path        | string   | event services that it passed, comma-separated, `,` and `%` encoded |
| FES_Via         | string   | of a publication: those that the event passed before it     |
| FES_Requester   | string   | the client                                                  |
| FES_Version     | longlong | which request of a key is newer                             |
| FES_Expires     | longlong | end of the lease, µs since 1970 UTC                         |
| FES_Next        | string   | the one gateway that a publication is for                   |
| FES_Giver       | string   | of a publication in custody: the gateway that has custody    |
| FES_Row         | longlong | number of that gateway's row, to be acknowledged             |
| FES_After       | longlong | the row sent just before it and not acknowledged yet         |
"""

import re
from typing import Any
from urllib.parse import quote, unquote

from fes.control.event import CONTROL_SUBJECT, ControlEvent, RequestType
from fes.errors import ControlEventError
from fes.model import Event, Field, Stamp, Type, check_stamp, is_reserved

MAX_NAME = 512
"""Longest name of a client or gateway, in characters."""

MAX_PATH = 16
"""Most event services that a control event's path may name."""

_FILTERED = (RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION)
_SAFE = "/.:@+~"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def is_control(subject: str) -> bool:
    """Return whether an event of this subject is a control event."""
    return subject == CONTROL_SUBJECT


def to_event(control: ControlEvent) -> Event:
    """Return a control event as an event of the model."""
    parameters = [
        Field("Type", Type.LONG, int(control.type)),
        Field("DistList", Type.STRING, control.dist_list),
        Field("Source", Type.STRING, control.source),
    ]
    if control.type in _FILTERED:
        parameters.append(Field("Filter", Type.STRING, control.filter))
    elif control.event is not None:
        parameters.append(Field("Event", Type.EVENT, control.event))
    attributes = [Field("FES_System", Type.STRING, control.system)]
    stamp_name = "FES_EventStamp" if control.type is RequestType.PUBLICATION else "FES_Id"
    attributes.append(Field(stamp_name, Type.STRING, write_stamp(control.stamp)))
    for name, text in (
        ("FES_Path", _listed(control.path)),
        ("FES_Via", _listed(control.via)),
        ("FES_Requester", control.requester),
        ("FES_Next", control.next_gateway),
        ("FES_Giver", control.giver),
    ):
        if text:
            attributes.append(Field(name, Type.STRING, text))
    for name, number in (
        ("FES_Version", control.version),
        ("FES_Expires", control.expires_us),
        ("FES_Row", control.row),
        ("FES_After", control.after),
    ):
        if number:
            attributes.append(Field(name, Type.LONGLONG, number))
    return Event(CONTROL_SUBJECT, tuple(parameters), tuple(attributes))


def from_event(event: Event, stamp: Stamp | None) -> ControlEvent:
    """Return the control event that an event contains.

    Args:
        event: An event with subject `FES_ControlEvent`.
        stamp: The native publisher's stamp; the request id where the event carries none.

    Raises:
        ControlEventError: A parameter is missing, of the wrong type or not known; the message
            names it.
    """
    kind = _type(event)
    event_stamp = _attribute(event, "FES_EventStamp", str, "")
    own = _attribute(event, "FES_Id", str, "")
    text = event_stamp if kind is RequestType.PUBLICATION else own
    identity = read_stamp(text) if text else stamp
    if identity is None:
        raise ControlEventError("control event has no stamp")
    return ControlEvent(
        stamp=identity,
        system=_attribute(event, "FES_System", str, ""),
        type=kind,
        source=_parameter(event, "Source", str),
        dist_list=_parameter(event, "DistList", str),
        filter=_parameter(event, "Filter", str) if kind in _FILTERED else "",
        event=None if kind in _FILTERED else _inner(event),
        path=_names(event, "FES_Path"),
        via=_names(event, "FES_Via"),
        requester=_name(event, "FES_Requester"),
        version=_attribute(event, "FES_Version", int, 0),
        expires_us=_attribute(event, "FES_Expires", int, 0),
        next_gateway=_name(event, "FES_Next"),
        giver=_name(event, "FES_Giver"),
        row=_attribute(event, "FES_Row", int, 0),
        after=_attribute(event, "FES_After", int, 0),
    )


def _listed(names: tuple[str, ...]) -> str:
    """Return names separated by commas; a comma or percent sign in one is percent-encoded."""
    return ",".join([name.replace("%", "%25").replace(",", "%2C") for name in names])


def write_stamp(stamp: Stamp) -> str:
    """Return a stamp as `origin;epoch;sequence;time;home`, text percent-encoded."""
    origin, home = quote(stamp.origin, safe=_SAFE), quote(stamp.home, safe=_SAFE)
    return f"{origin};{stamp.epoch};{stamp.sequence};{stamp.time_us};{home}"


def read_stamp(text: str) -> Stamp:
    """Return the stamp that `write_stamp` wrote.

    Raises:
        ControlEventError: The text is not a stamp.
    """
    try:
        origin, epoch, sequence, time_us, home = text.split(";")
        numbers = int(epoch), int(sequence), int(time_us)
        names = (unquote(name, errors="strict") for name in (origin, home))
        return check_stamp(Stamp(next(names), *numbers, next(names)))
    except ValueError as error:
        raise ControlEventError(f"stamp is not well formed: {text[:80]!r}") from error


def _type(event: Event) -> RequestType:
    number = _parameter(event, "Type", int)
    try:
        return RequestType(number)
    except ValueError as error:
        raise ControlEventError(f"parameter 'Type': no request has number {number}") from error


def _parameter(event: Event, name: str, kind: type) -> Any:
    value = event.parameter(name)
    if value is None:
        raise ControlEventError(f"parameter {name!r} is missing")
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ControlEventError(
            f"parameter {name!r}: expected {kind.__name__}, found {value!r:.60}"
        )
    return value


def _attribute(event: Event, name: str, kind: type, absent: Any) -> Any:
    value = event.attribute(name)
    if value is None:
        return absent
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ControlEventError(
            f"attribute {name!r}: expected {kind.__name__}, found {value!r:.60}"
        )
    return value


def _name(event: Event, attribute: str) -> str:
    text: str = _attribute(event, attribute, str, "")
    if len(text) > MAX_NAME:
        raise ControlEventError(
            f"attribute {attribute!r} has {len(text)} characters, more than {MAX_NAME}"
        )
    return text


def _inner(event: Event) -> Event:
    inner = event.parameter("Event")
    if not isinstance(inner, Event):
        raise ControlEventError("parameter 'Event' is missing or not an event")
    if is_reserved(inner.subject):
        raise ControlEventError(f"parameter 'Event': subject {inner.subject[:60]!r} is reserved")
    return inner


def _names(event: Event, attribute: str) -> tuple[str, ...]:
    text = _attribute(event, attribute, str, "")
    names = tuple(map(unquote, text.split(","))) if text else ()
    if len(names) > MAX_PATH:
        raise ControlEventError(f"attribute {attribute!r} names {len(names)}, more than {MAX_PATH}")
    for name in names:
        if len(name) > MAX_NAME or _CONTROL.search(name):
            raise ControlEventError(f"attribute {attribute!r}: {name[:60]!r} cannot be a name")
    return names
