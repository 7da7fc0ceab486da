"""Terms of a filter as JMS selectors, in the names of messages: properties and header fields."""

import math
from collections.abc import Mapping
from typing import Final

from fes.filter import Term
from fes.filter.translation.selectors import (
    ORDERED,
    PRESENCE,
    number_test,
    presence,
    quoted,
    text_test,
)
from fes.model.attributes import PRIORITY, RELIABILITY

from adapter_jms.headers import CORRELATION, HEADER_NAMES, TYPE, to_jms_priority
from adapter_jms.names import CLIENT, OPAQUE, PROPERTIES
from adapter_jms.settings import JmsType

_TESTED_HEADERS: Final = {TYPE: "JMSType", CORRELATION: "JMSCorrelationID"}


class Selectors:
    """Writes terms about native events.

    Args:
        properties: Parameters that are properties, and their types.
    """

    def __init__(self, properties: Mapping[str, JmsType]) -> None:
        self._properties = properties

    def text(self, term: Term) -> str | None:
        """Return the selector of a term; None where the broker has none."""
        if term.kind == "parameter":
            return self._parameter(term)
        return _attribute(term) if term.kind == "attribute" else None

    def _parameter(self, term: Term) -> str | None:
        kind = self._properties.get(term.name)
        if kind is None:
            return None
        if term.op in PRESENCE:
            return presence(term.name, term.op)
        if kind == "string":
            return text_test(term.name, term.op, term.value)
        if kind == "boolean":
            fits = term.op in ("=", "<>") and isinstance(term.value, bool)
            return f"{term.name} {term.op} {'TRUE' if term.value else 'FALSE'}" if fits else None
        return number_test(term.name, term.op, term.value, kind)


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
    native = _TESTED_HEADERS.get(name) or PROPERTIES.write(name)
    if not native.isascii():
        return None
    return presence(native, term.op) if term.op in PRESENCE else _foreign(native, term)


def _foreign(name: str, term: Term) -> str | None:
    """Return a test of a property of which nobody declared that it is a string.

    One that is a number or a boolean is an attribute of type string all the same, and the broker
    reads a constant as that type. It applies no LIKE to it.
    """
    values = term.value if isinstance(term.value, tuple) else (term.value,)
    if name in _TESTED_HEADERS.values():
        return text_test(name, term.op, term.value)
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
