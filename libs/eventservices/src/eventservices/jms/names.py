"""Names of properties, and which of them JMS and STOMP use themselves."""

import re
from typing import Final

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
_RESERVED: Final = re.compile(r"JMS(?!X)|amq-|activemq|[0-9]", re.IGNORECASE)


def is_property(name: str) -> bool:
    """Return whether a property may bear a name: an identifier of Java that is not reserved."""
    return bool(_IDENTIFIER.fullmatch(name)) and not is_reserved(name)


def is_reserved(name: str) -> bool:
    """Return whether JMS, STOMP or the broker use a name themselves."""
    return (
        name.upper() in _KEYWORDS | _WORDS_OF_ACTIVEMQ
        or name.lower() in FRAME
        or bool(_RESERVED.match(name))
    )
