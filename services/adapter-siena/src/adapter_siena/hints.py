"""The attribute `FES_Types`: types that a SIENA value does not show by itself.

It is present only where an event has such a field, and names only these: `serial:longlong
inner:event` says that `serial` is a 64-bit integer although its value fits 32 bits, and that
`inner` is an event written as JSON.
"""

from typing import Final

from fes.errors import MappingError
from fes.model import Type

TYPES: Final = "FES_Types"
"""Name of the attribute."""

_WORDS: Final = {"longlong": Type.LONGLONG, "event": Type.EVENT}
_NATIVE: Final[dict[Type, type]] = {Type.LONGLONG: int, Type.EVENT: str}

Hints = dict[str, Type]
"""Types by native name."""


def write_hint(name: str, kind: Type) -> str:
    """Return the attribute's entry for one field."""
    return f"{name}:{kind.name.lower()}"


def read_hints(text: object) -> Hints:
    """Return the types that the attribute states.

    Raises:
        MappingError: It is not well formed.
    """
    hints: Hints = {}
    for part in text.split(" ") if isinstance(text, str) else [""]:
        name, _, word = part.partition(":")
        kind = _WORDS.get(word)
        if kind is None or not name:
            raise MappingError(f"{TYPES}: {part[:80]!r} is not name:longlong or name:event")
        hints[name] = kind
    return hints


def check_hint(name: str, kind: Type, value: object) -> Type:
    """Return a hinted type, after checking that the value can be of it.

    Raises:
        MappingError: It cannot.
    """
    if type(value) is not _NATIVE[kind]:
        raise MappingError(f"{TYPES}: {name!r} is not of type {kind.name.lower()}: {value!r:.60}")
    return kind
