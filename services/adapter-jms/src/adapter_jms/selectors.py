"""Terms of a filter as JMS selectors, in the names of messages: properties and header fields."""

import math
from collections.abc import Mapping
from typing import Final

from eventservices.jms.header import CORRELATION, TYPE
from eventservices.jms.properties import PropertyType
from eventservices.jms.selectors import ORDERED, quoted
from fes.filter import Term
from fes.filter.translation.selectors import PRESENCE, property_test
from fes.model.attributes import PRIORITY, RELIABILITY

from adapter_jms.headers import HEADER_NAMES, to_jms_priority
from adapter_jms.names import CLIENT, OPAQUE, PROPERTIES

_TESTED_HEADERS: Final = (TYPE, CORRELATION)


def selector_test(term: Term, properties: Mapping[str, PropertyType]) -> str | None:
    """Return the test of a term about native events; None where the broker has none.

    Args:
        term: The term.
        properties: Parameters that are properties, and their types.
    """
    if term.kind == "parameter":
        kind = properties.get(term.name)
        return None if kind is None else property_test(term.name, term.op, term.value, kind)
    return _attribute(term) if term.kind == "attribute" else None


def guarded(selector: str, without: str = "") -> str:
    """Return the selector of a subscription.

    Args:
        selector: Of its filter; "" for everything.
        without: Adapter whose own messages are left out; "" for none. From a topic they come back,
            as events of this service; from a queue nobody else would get them.
    """
    mine = f"({CLIENT} IS NULL OR {CLIENT} <> {quoted(without)})" if without else ""
    own = f"({OPAQUE} IS NOT NULL OR {selector})" if selector else ""
    return " AND ".join(filter(None, (mine, own)))


def _attribute(term: Term) -> str | None:
    name = term.name
    if name == PRIORITY:
        return _priority(term)
    if name == RELIABILITY:
        kept = term.op == "=" and term.value == 1 and not isinstance(term.value, bool)
        return "JMSDeliveryMode = 'PERSISTENT'" if kept else None
    if name in HEADER_NAMES and name not in _TESTED_HEADERS:
        return None
    native = name if name in _TESTED_HEADERS else PROPERTIES.write(name)
    return _foreign(native, term) if native.isascii() else None


def _foreign(name: str, term: Term) -> str | None:
    """Return a test of a property of which nobody declared that it is a string.

    One that is a number or a boolean is an attribute of type string all the same, and the broker
    reads a constant as that type. It applies no LIKE to it.
    """
    if name in _TESTED_HEADERS or term.op in PRESENCE:
        return property_test(name, term.op, term.value, "string")
    values = term.value if isinstance(term.value, tuple) else (term.value,)
    if term.op not in ("=", "IN") or not all(isinstance(each, str) for each in values):
        return None
    return " OR ".join(f"{name} = {quoted(each)}" for each in values)


def _priority(term: Term) -> str | None:
    if term.op not in ORDERED or isinstance(term.value, bool | str) or term.op == "<>":
        return None
    limit = max(-32767, min(32767, math.floor(term.value)))
    low, high = to_jms_priority(limit), to_jms_priority(min(32767, limit + 1))
    match term.op:
        case "=":
            return f"JMSPriority = {low}"
        case ">" | ">=":
            return f"JMSPriority >= {low}"
    return f"JMSPriority <= {high}"
