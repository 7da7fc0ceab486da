"""Names of properties, among them those that the federation adds.

Names of properties are identifiers of Java. Any other character is written as its code, as names
of Kafka are; so is the first character of a name that JMS, STOMP or the federation reserve.
"""

from typing import Final

from eventservices.jms import names
from eventservices.stamp import HEADER
from fes.mapping.topics.codes import Codes
from fes.payload.headers import ATTRIBUTES, TYPES

OWN: Final = {HEADER: "FES_Stamp", ATTRIBUTES: "FES_Attributes", TYPES: "FES_Types"}
"""Properties that the federation adds: a header of plain messages to its name in JMS."""

CLIENT: Final = "FES_Client"
"""Property that names the adapter that published a message, which does not receive it."""

OPAQUE: Final = "FES_Opaque"
"""Property of a message that has a parameter or an attribute which no selector can test."""

_PREFIX: Final = "FES_"


def is_property(name: str) -> bool:
    """Return whether a parameter may be a property of the same name."""
    return names.is_property(name) and not _is_reserved(name)


def _is_reserved(name: str) -> bool:
    return names.is_reserved(name) or name.upper().startswith(_PREFIX)


PROPERTIES: Final = Codes("A-Za-z0-9_$", "$", _is_reserved)
"""Writes any name as that of a property, and reads it again."""
