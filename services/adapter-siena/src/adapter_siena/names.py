"""Names of the federation in the alphabet of SIENA, and back.

SIENA accepts a letter or `_` first, then letters, digits, `_`, `/` and `.`. Any other character is
written as its code point between `_.` and `.` (`license-no` is `license_.2D.no`), or as the
substitute in the settings. Parameters keep their names otherwise; names of attributes get the
prefix `FES_A.`, so that a parameter and an attribute may have the same name. The conversion is a
bijection.

Source:
    FES thesis, section 6.3.4: solution 3, a character that the user chooses.
"""

import re
import string
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from eventservices.siena.values import MAX_NAME_CHARACTERS, NAME
from fes.errors import MappingError

ATTRIBUTE: Final = "FES_A."
"""Prefix of attributes of the federation."""

RESERVED: Final = "FES_"
"""Native names with this prefix belong to the federation."""

NAMES_MAX: Final = 4096
"""Most names remembered in each direction; the one unused longest is dropped first."""

_FIRST: Final = frozenset(string.ascii_letters + "_")
_LEGAL: Final = _FIRST | frozenset(string.digits + "/.")
_KEPT: Final = (_LEGAL, _LEGAL - frozenset("_/."), frozenset[str]())
"""Characters that stay unchanged, by attempt: the first that leads back to the name is used."""


class Place(NamedTuple):
    """The place of a native attribute in an event."""

    is_attribute: bool
    name: str


class Names:
    """Writes and reads names; remembers names that it converted, up to a limit.

    Args:
        substitute: Replacement of each illegal character.
    """

    def __init__(self, substitute: Mapping[str, str]) -> None:
        self._substitute = dict(substitute)
        self._meant = {text: char for char, text in substitute.items()}
        tokens = sorted(self._meant, key=len, reverse=True)
        self._token = re.compile("|".join([r"_\.([0-9A-F]{0,6})\.", *map(re.escape, tokens)]))
        self.parameter = lru_cache(NAMES_MAX)(self._parameter)
        self.attribute = lru_cache(NAMES_MAX)(self._attribute)
        self.place = lru_cache(NAMES_MAX)(self._place)

    def _parameter(self, name: str) -> str:
        """Return a parameter's native name.

        Raises:
            MappingError: It would be longer than SIENA accepts.
        """
        return _within_length(name, self._write(name, avoid=RESERVED))

    def _attribute(self, name: str) -> str:
        """Return an attribute's native name.

        Raises:
            MappingError: It would be longer than SIENA accepts.
        """
        return _within_length(name, ATTRIBUTE + self._write(name, avoid=None))

    def _place(self, native: str) -> Place:
        """Return the place of a native name.

        Raises:
            MappingError: The name is reserved, or would have another form outbound.
        """
        if native.startswith(ATTRIBUTE):
            name = self._read(native.removeprefix(ATTRIBUTE))
            found, back = Place(True, name), self._attribute(name)
        else:
            name = self._read(native)
            found, back = Place(False, name), self._parameter(name)
        if back == native:
            return found
        why = "is reserved" if native.startswith(RESERVED) else "would go back as another name"
        raise MappingError(f"native name {native[:80]!r} {why}")

    def _write(self, name: str, avoid: str | None) -> str:
        for kept in _KEPT:
            native = self._written(name, kept)
            taken = NAME.fullmatch(native) and not (avoid and native.startswith(avoid))
            if taken and self._read(native) == name:
                return native
        raise MappingError(f"name {name[:80]!r} has no form in SIENA that leads back to it")

    def _written(self, name: str, kept: frozenset[str]) -> str:
        if not name:
            return "_.."
        parts = [
            char if char in (kept if at else kept & _FIRST) else self._code(char, kept)
            for at, char in enumerate(name)
        ]
        return "".join(parts)

    def _code(self, char: str, kept: frozenset[str]) -> str:
        text = self._substitute.get(char) if kept is _LEGAL else None
        return f"_.{ord(char):02X}." if text is None else text

    def _read(self, native: str) -> str:
        return self._token.sub(self._character, native)

    def _character(self, found: re.Match[str]) -> str:
        code = found.group(1)
        if code is None:
            return self._meant[found.group()]
        number = int(code or "0", 16)
        return chr(number) if code and number < 0x110000 else ""


def _within_length(name: str, native: str) -> str:
    if len(native) > MAX_NAME_CHARACTERS:
        raise MappingError(
            f"name {name[:40]!r} has {len(native)} characters, more than {MAX_NAME_CHARACTERS}"
        )
    return native
