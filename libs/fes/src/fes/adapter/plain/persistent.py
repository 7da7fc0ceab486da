"""Persistent native events: their event service keeps them."""

from dataclasses import replace
from typing import Final

from fes.mapping import Native
from fes.model import Event, Field, Type, attributes
from fes.model.attributes import RELIABILITY

_PERSISTENT: Final = Field(RELIABILITY, Type.LONG, 1)


def is_persistent(native: Native) -> bool:
    """Return whether an event requests persistent delivery."""
    return attributes.is_persistent(Event(native.subject or "", (), native.attributes))


def persistent(native: Native) -> Native:
    """Return an event with the attribute that requests persistent delivery."""
    if any(field.id == RELIABILITY for field in native.attributes):
        return native
    return replace(native, attributes=(*native.attributes, _PERSISTENT))
