"""Names of properties, and which of them JMS and STOMP use themselves.

Names of properties are identifiers of Java. Any other character is written as its code, as names
of Kafka are; so is the first character of a name that JMS or STOMP reserve.
"""

import re
from typing import Final

from eventservices.stamp import HEADER
from fes.mapping.topics.codes import Codes
from fes.payload.headers import ATTRIBUTES, TYPES

OWN: Final = {HEADER: "FES_Stamp", ATTRIBUTES: "FES_Attributes", TYPES: "FES_Types"}
"""Properties that the federation adds: a header of plain messages to its name in JMS."""

CLIENT: Final = "FES_Client"
"""Property that names the adapter that published a message, which does not receive it."""

OPAQUE: Final = "FES_Opaque"
"""Property of a message that has a parameter or an attribute which no selector can test."""

_KEYWORDS: Final = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
)
_WORDS_OF_ACTIVEMQ: Final = frozenset(("XPATH", "XQUERY"))

FRAME: Final = frozenset(
    (
        *("destination", "message-id", "subscription", "ack", "timestamp", "expires", "priority"),
        *("redelivered", "persistent", "type", "correlation-id", "reply-to", "content-length"),
        *("transformation", "transformation-error", "receipt", "receipt-id", "transaction"),
        *("login", "passcode", "original-destination", "browser"),
    )
)
"""Headers of frames that are no properties."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_RESERVED: Final = re.compile(r"JMS(?!X)|FES_|amq-|activemq|[0-9]", re.IGNORECASE)


def is_property(name: str) -> bool:
    """Return whether a property may bear a name as it is."""
    return bool(_IDENTIFIER.fullmatch(name)) and not _is_reserved(name)


def _is_reserved(name: str) -> bool:
    return (
        name.upper() in _KEYWORDS | _WORDS_OF_ACTIVEMQ
        or name.lower() in FRAME
        or bool(_RESERVED.match(name))
    )


PROPERTIES: Final = Codes("A-Za-z0-9_$", "$", _is_reserved)
"""Writes any name as that of a property, and reads it again."""
