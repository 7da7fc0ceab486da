"""Tokens of SENP's textual form, and errors that show the place."""

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from eventservices.errors import MalformedError

MAX_TEXT_CHARACTERS: Final = 256 * 1024
_SHOWN_BEFORE: Final = 50
_SHOWN: Final = 100

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)
    |(?P<octets>x"[^"]*")
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<double>[+-]?(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|Infinity\b|NaN\b))
    |(?P<integer>[+-]?\d+)
    |(?P<name>[A-Za-z_][A-Za-z0-9_/.]*)
    |(?P<op>>\*|\*<|<=|>=|!=|=|<|>|\*)
    |(?P<brace>[{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class TextError(MalformedError):
    """Raised when a text is not a filter or notification; states where.

    Args:
        reason: What was found and what was expected.
        text: The whole text.
        position: Index of the character at fault.
    """

    def __init__(self, reason: str, text: str, position: int) -> None:
        line = text.count("\n", 0, position) + 1
        start = text.rfind("\n", 0, position) + 1
        column = position - start + 1
        left = max(start, position - _SHOWN_BEFORE)
        shown = text[left : left + _SHOWN].split("\n", 1)[0]
        caret = " " * (position - left) + "^"
        super().__init__(f"{reason} (line {line}, column {column})\n  {shown}\n  {caret}")
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its sort (a group of `_TOKEN`, or `end`), its text and where it begins."""

    sort: str
    text: str
    position: int

    def __str__(self) -> str:
        """Return the token as an error shows it."""
        return "the end" if self.sort == "end" else repr(self.text[:40])


class Scanner:
    """Returns the tokens of a text one by one.

    Args:
        text: What to read.

    Raises:
        TextError: A character begins no token, or the text is too long.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > MAX_TEXT_CHARACTERS:
            raise TextError(
                f"text of {len(text)} characters, more than {MAX_TEXT_CHARACTERS}", text[:1], 0
            )
        self._position = 0
        self.token = self._next()

    def take(self) -> Token:
        """Return the present token and go to the next."""
        taken = self.token
        self.token = self._next()
        return taken

    def expect(self, sort: str, text: str | None, expected: str) -> Token:
        """Accept a token of a sort (and, unless None, a text); fail where it is another."""
        if self.token.sort != sort or (text is not None and self.token.text != text):
            self.fail(expected)
        return self.take()

    def fail(self, expected: str, at: Token | None = None) -> NoReturn:
        """Raise an error that states what was expected where a token (the present one) is."""
        token = at or self.token
        raise TextError(f"expected {expected}, found {token}", self.text, token.position)

    def _next(self) -> Token:
        while self._position < len(self.text):
            start = self._position
            found = _TOKEN.match(self.text, start)
            if found is None:
                self._fail_on_character(start)
            self._position = found.end()
            if found.lastgroup != "space":
                return Token(str(found.lastgroup), found.group(), start)
        return Token("end", "", len(self.text))

    def _fail_on_character(self, start: int) -> NoReturn:
        character = self.text[start]
        reason = "a string that does not end" if character == '"' else f"found {character!r}"
        if character == "-":
            reason += "; names have no -"
        raise TextError(reason, self.text, start)
