"""Rules for names that a service does not accept as they are, with an inverse."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from fes.errors import MappingError

Char = Annotated[str, Meta(min_length=1, max_length=1)]

NAMES_MAX: Final = 4096
"""Most names remembered in each direction; the one unused longest is dropped first."""

_FOLDS: dict[str, Callable[[str], str]] = {"keep": str, "lower": str.lower, "upper": str.upper}


class NameRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which names a service accepts.

    Attributes:
        substitutes: Replacement of each illegal character, e.g. `{"-": "_2D"}`.
        illegal: Characters written as their code point between two escape characters, e.g. `-` as
            `_2D_`. Without an escape character such a name is refused.
        escape: The escape character; itself escaped only where it would be treated as an escape.
        case: `lower` or `upper` where the service does not distinguish cases: letters of the other
            case are illegal outbound and folded inbound.
        max_length: Characters of a name on the service; None for no limit.
        subjects: Whether the rule applies to subjects too, not only for parameters and attributes.

    Source:
        FES thesis, section 6.3.4 (SIENA's `-`); nats-io/nats-server#1879 (an inverse).
    """

    substitutes: dict[Char, Annotated[str, Meta(min_length=1)]] = {}
    illegal: str = ""
    escape: Annotated[str, Meta(max_length=1)] = ""
    case: Literal["keep", "lower", "upper"] = "keep"
    max_length: Annotated[int, Meta(ge=1)] | None = None
    subjects: bool = False

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if self.escape and (self.escape.isalnum() or self.escape in self.illegal):
            raise ValueError(f"escape {self.escape!r} must be legal and no letter or digit")
        for char, text in self.substitutes.items():
            if set(text) & set(self.illegal):
                raise ValueError(f"the substitute of {char!r} is illegal itself")


class Names:
    """A compiled name rule; remembers names that it converted, up to a limit."""

    def __init__(self, rule: NameRule) -> None:
        self.rule = rule
        self._fold = _FOLDS[rule.case]
        self._tokens = dict(rule.substitutes)
        self._back = _pattern(rule)
        self.outward = lru_cache(NAMES_MAX)(self._outward)
        self.inward = lru_cache(NAMES_MAX)(self._inward)

    def _outward(self, name: str) -> str:
        """Return the form of a FES name at the service.

        Raises:
            MappingError: It has no such form, or none that leads back to `name`.
        """
        for full in (False, True):
            native = "".join(self._token(char, full=full) for char in name)
            if self._decode(native) == name and self._fold(native) == native:
                return self._within_length(name, native)
        raise MappingError(f"name {name!r} has no form on the service that leads back to it")

    def _inward(self, native: str) -> str:
        """Return the FES name of a name of the service.

        Raises:
            MappingError: The name would have another form outbound.
        """
        folded = self._fold(native)
        name = self._decode(folded)
        if self.outward(name) != folded:
            raise MappingError(f"native name {native!r} would go back as another name")
        return name

    def subject_out(self, subject: str) -> str:
        """Return the form of a FES subject at the service.

        Raises:
            MappingError: As for `outward`.
        """
        return self.outward(subject) if self.rule.subjects else subject

    def subject_in(self, subject: str) -> str:
        """Return the FES subject of a subject of the service.

        Raises:
            MappingError: As for `inward`.
        """
        return self.inward(subject) if self.rule.subjects else subject

    def _token(self, char: str, *, full: bool) -> str:
        known = self._tokens.get(char)
        if known is not None:
            return known
        if self._is_escapable(char) and (full or char != self.rule.escape):
            return self._escaped(char)
        return char

    def _escaped(self, char: str) -> str:
        escape = self.rule.escape
        if not escape:
            raise MappingError(f"character {char!r} is illegal in a name of the service")
        return self._fold(f"{escape}{ord(char):02X}{escape}")

    def _is_escapable(self, char: str) -> bool:
        illegal = char in self.rule.illegal or self._fold(char) != char
        return illegal or (char == self.rule.escape and bool(char))

    def _decode(self, native: str) -> str:
        return native if self._back is None else self._back.sub(self._character, native)

    def _character(self, match: re.Match[str]) -> str:
        text = match.group()
        for char, token in self._tokens.items():
            if token == text:
                return char
        code = int(text[1:-1], 16)
        char = chr(code) if code <= 0x10FFFF else ""
        return char if char and self._is_escapable(char) else text

    def _within_length(self, name: str, native: str) -> str:
        limit = self.rule.max_length
        if limit is not None and len(native) > limit:
            length = f"{len(native)} characters, more than {limit}"
            raise MappingError(f"name {name[:40]!r} has {length}")
        return native


def _pattern(rule: NameRule) -> re.Pattern[str] | None:
    parts = [re.escape(text) for text in sorted(rule.substitutes.values(), key=len, reverse=True)]
    if rule.escape:
        mark = re.escape(rule.escape)
        parts.append(f"{mark}(?:[0-9A-F]{{2,6}}|[0-9a-f]{{2,6}}){mark}")
    return re.compile("|".join(parts)) if parts else None


def is_identity(rule: NameRule | None) -> bool:
    """Return whether a rule leaves every name unchanged."""
    return rule is None or rule == NameRule(subjects=rule.subjects)
