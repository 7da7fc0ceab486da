"""Components of events by the book, and what their values are in IDL.

Every value is told as what it is: `("int", 5)`, `("enum", ("RED", "Colour"))`.
"""

from enum import Enum
from typing import Any

from eventservices.cns.event import AnyEvent, EventHeader, FixedEventHeader, StructuredEvent
from eventservices.cns.event_type import EventType
from eventservices.cns.value import LongLong

OMG = "IDL:omg.org/CosNotification/"
LISTS = {"variable_header": "OptionalHeaderFields", "filterable_data": "FilterableEventBody"}
TAGS = ("_d", "_labels", "_default", "_enum", "_char", "_type_id", "_repos_id")
NOW_TICKS = 2**40 + 5
NOW = {
    "_type_id": "UtcT",
    "_repos_id": "IDL:omg.org/TimeBase/UtcT:1.0",
    "time": NOW_TICKS,
    "inacclo": 0,
    "inacchi": 0,
    "tdf": 0,
}


class Undefined(Exception):  # noqa: N818 - it is a value of the language
    pass


def told(value: Any) -> tuple[str, Any]:
    """Return a value as what it is in IDL."""
    value = bare(value)
    tags = value if isinstance(value, dict) else {}
    if isinstance(value, Enum):
        return ("enum", (value.name, type(value).__name__))
    if isinstance(tags.get("_enum"), str):
        name = tags.get("_type_id")
        return ("enum", (tags["_enum"], name if isinstance(name, str) else ""))
    if isinstance(tags.get("_char"), str) and len(tags["_char"]) == 1:
        return ("char", tags["_char"])
    if value is True or value is False:
        return ("bool", value)
    for kind in (int, float, str):
        if isinstance(value, kind):
            return (kind.__name__, kind(value))
    return ("other", value)


def bare(value: Any) -> Any:
    """Return what lies within Anys."""
    return bare(value.value) if isinstance(value, AnyEvent) else value


def found(component: Any, event: Any, *, exact: bool) -> Any:
    """Return the part of an event that a component names."""
    _, name, steps = component
    event = bare(event)
    value = event if name is None else _variable(event, name)
    for number, (kind, argument) in enumerate(steps):
        if number == 0 and name is None and kind == "member":
            value = _named_of_root(event, argument)
        else:
            value = _stepped(bare(value), kind, argument, exact=exact)
    return bare(value)


def _variable(event: Any, name: str) -> Any:
    if name == "curtime":
        return NOW
    if not isinstance(event, StructuredEvent):
        return _named_of_root(event, name)
    header = event.header
    domain, kind = header.fixed_header.event_type
    tables: list[Any] = [
        {"domain_name": domain, "type_name": kind, "event_name": header.fixed_header.event_name},
        dict(header.variable_header),
        dict(event.filterable_data),
        _members(event),
        _members(header),
        _members(header.fixed_header),
    ]
    for table in tables:
        if name in table:
            return table[name]
    raise Undefined


def _named_of_root(event: Any, name: str) -> Any:
    listed = isinstance(event, list | tuple | _Pairs) and not isinstance(event, EventType)
    return _stepped(event, "named" if listed else "member", name, exact=False)


class _Pairs(dict[str, Any]):
    """A list of names and values that an event keeps as a mapping."""

    kind = ""


def _pairs(items: Any, kind: str) -> _Pairs:
    pairs = _Pairs(items)
    pairs.kind = kind
    return pairs


def _members(value: Any) -> dict[str, Any]:
    if isinstance(value, StructuredEvent):
        names = ["header", "filterable_data", "remainder_of_body"]
    elif isinstance(value, EventHeader):
        names = ["fixed_header", "variable_header"]
    elif isinstance(value, FixedEventHeader):
        names = ["event_type", "event_name"]
    elif isinstance(value, EventType):
        names = ["domain_name", "type_name"]
    elif isinstance(value, dict) and not isinstance(value, _Pairs) and "_d" not in value:
        return {name: item for name, item in value.items() if name not in TAGS}
    else:
        raise Undefined
    members = {name: getattr(value, name) for name in names}
    return {n: _pairs(m, LISTS[n]) if n in LISTS else m for n, m in members.items()}


def _stepped(value: Any, kind: str, argument: Any, *, exact: bool) -> Any:
    if kind == "case":
        return _chosen(union_of(value), argument, exact=exact)
    return {
        "member": _member,
        "position": lambda value, number: _picked(list(_members(value).values()), number),
        "index": lambda value, number: _picked(elements(value), number),
        "named": _entry,
        "implicit": _implied,
    }[kind](value, argument)


def _member(value: Any, name: str) -> Any:
    if isinstance(value, dict) and not isinstance(value, _Pairs):
        value = {key: item for key, item in value.items() if key != "_d"}
    return _looked_up(_members(value), name)


def _picked(items: Any, number: Any) -> Any:
    if number >= len(items):
        raise Undefined
    return items[number]


def _looked_up(items: dict[str, Any], name: str) -> Any:
    if name not in items:
        raise Undefined
    return items[name]


def elements(value: Any) -> list[Any]:
    value = bare(value)
    if isinstance(value, _Pairs):
        return [{"_type_id": "Property", "_repos_id": OMG + "Property:1.0", "name": n, "value": v}
                for n, v in value.items()]  # fmt: skip
    if isinstance(value, list | tuple | bytes) and not isinstance(value, EventType):
        return list(value)
    raise Undefined


def _entry(value: Any, name: str) -> Any:
    if isinstance(value, _Pairs):
        return _looked_up(value, name)
    if isinstance(value, dict):
        return _looked_up(_members(value), name)
    for item in map(bare, elements(value)):
        if isinstance(item, dict) and item.get("name") == name and "value" in item:
            return item["value"]
    raise Undefined


def union_of(value: Any) -> dict[str, Any]:
    value = bare(value)
    if not isinstance(value, dict) or isinstance(value, _Pairs) or "_d" not in value:
        raise Undefined
    members = {name: item for name, item in value.items() if name not in TAGS}
    if len(members) != 1:
        raise Undefined
    [(name, item)] = members.items()
    labels = value.get("_default" if "_default" in value else "_labels")
    return {
        "d": value["_d"],
        "member": name,
        "value": item,
        "default": "_default" in value,
        "labels": list(labels) if isinstance(labels, list | tuple) else [],
    }


def _chosen(union: dict[str, Any], label: Any, *, exact: bool) -> Any:
    spelt = label[1] if isinstance(label, tuple) else label
    if label is None:
        good = union["default"]
    elif spelt == union["member"] or _is_label(label, union["d"]):
        good = True
    elif exact:
        good = False
    elif union["default"]:
        good = _kind_of_label(label) == _kind_of_discriminator(union["d"])
        good = good and not any(_is_label(label, other) for other in union["labels"])
    else:
        good = any(_is_label(label, other) for other in union["labels"])
    if not good:
        raise Undefined
    return union["value"]


def _is_label(label: Any, value: Any) -> bool:
    kind, content = told(value)
    if isinstance(label, tuple):
        return kind == "enum" and content[0] == label[1]
    if isinstance(label, str):
        return kind == "char" and bool(content == label)
    return kind in ("bool", "int") and bool(content == label)


def _kind_of_label(label: Any) -> str:
    if isinstance(label, tuple):
        return "enum"
    return "int" if isinstance(label, int) else "char" if len(label) == 1 else "none"


def _kind_of_discriminator(value: Any) -> str:
    return told(value)[0].replace("bool", "int")


def _implied(value: Any, name: str) -> Any:
    if name == "_length":
        return len(elements(value))
    if name == "_d":
        return union_of(value)["d"]
    type_name, repository = _type_of(value)
    wanted = type_name if name == "_type_id" else repository
    if not wanted:
        raise Undefined
    return wanted


def _type_of(value: Any) -> tuple[str, str]:
    if isinstance(value, _Pairs):
        return value.kind, f"{OMG}{value.kind}:1.0"
    if isinstance(value, StructuredEvent | EventHeader | FixedEventHeader | EventType):
        return type(value).__name__, f"{OMG}{type(value).__name__}:1.0"
    if isinstance(value, Enum):
        return type(value).__name__, f"IDL:{type(value).__name__}:1.0"
    return _told_type(value) if isinstance(value, dict) else (_basic(value), "")


def _basic(value: Any) -> str:
    wide = isinstance(value, LongLong) or not (isinstance(value, int) and -(2**31) <= value < 2**31)
    names: dict[type, str] = {
        bool: "boolean",
        int: "long long" if wide else "long",
        float: "double",
        str: "string",
        type(None): "null",
    }
    return next((name for kind, name in names.items() if isinstance(value, kind)), "")


def _told_type(value: dict[str, Any]) -> tuple[str, str]:
    name, repository = value.get("_type_id"), value.get("_repos_id")
    name = name if isinstance(name, str) else ""
    repository = repository if isinstance(repository, str) else ""
    if not name and repository:
        name = repository.removeprefix("IDL:").rpartition(":")[0].rpartition("/")[2]
    if not name and "_char" in value:
        name = "char"
    return name, repository or (f"IDL:{name}:1.0" if name else "")
