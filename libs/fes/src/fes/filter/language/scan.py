"""A cheap scan of a filter before it is parsed: its size, its nesting, its quotes.

A hostile filter is refused here, in time linear in the limit and not in its own length.
"""

import re
from dataclasses import dataclass

from fes.errors import FilterError, Place
from fes.model.limits import KIB


@dataclass(frozen=True, slots=True)
class FilterLimits:
    """Bounds of a filter.

    Attributes:
        length_bytes: Most bytes, encoded as UTF-8.
        depth: Most parentheses, signs, NOTs and arithmetic operators inside one another.
        nodes: Most names, constants and operators.
        pattern: Most characters after LIKE; its test costs time in proportion.
    """

    length_bytes: int = 16 * KIB
    depth: int = 64
    nodes: int = 2000
    pattern: int = 512


DEFAULT_LIMITS = FilterLimits()

_TOKEN = re.compile(
    r"""\s+
    | (?P<text> '(?:[^']|'')*+' | @?"(?:[^"]|"")*+" )
    | (?P<word> @?(?:[^\W\d]|\$)[\w$]* )
    | (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)? )
    | (?P<open> \( ) | (?P<close> \) ) | (?P<sign> [-+*/] ) | (?P<comma> , )
    | (?P<relation> <>|<=|>=|[<>=] )""",
    re.VERBOSE,
)
_ELSEWHERE = {"!=": "<>", "&&": "AND", "||": "OR"}


def place_at(text: str, offset: int) -> Place:
    """Return line and column of an offset in a text."""
    start = text.rfind("\n", 0, offset) + 1
    return Place(text.count("\n", 0, offset) + 1, offset - start + 1)


def scan(text: str, limits: FilterLimits) -> None:
    """Raise an error where a filter exceeds a limit or has a character that starts no token.

    Raises:
        FilterError: The message names the limit, or the character and its place.
    """
    _check_length(text, limits)
    nesting = _Nesting()
    offset = nodes = 0
    word = ""
    while offset < len(text):
        token = _TOKEN.match(text, offset)
        if token is None:
            raise _stranger(text, offset)
        kind, found = token.lastgroup, token.group()
        nodes += kind in ("text", "word", "number", "sign", "relation")
        if nodes > limits.nodes:
            raise FilterError(f"filter has more than {limits.nodes} names, values and operators")
        if nesting.after(kind, found) > limits.depth:
            reason = f"filter is nested deeper than {limits.depth}"
            raise FilterError(reason, text, place_at(text, offset))
        if word == "LIKE" and len(found[1:-1].replace("''", "'")) > limits.pattern:
            reason = f"pattern is longer than {limits.pattern} characters"
            raise FilterError(reason, text, place_at(text, offset))
        word = found.upper() if kind == "word" else word if kind is None else ""
        offset = token.end()


class _Nesting:
    """Computes an upper bound of the depth of the syntax tree."""

    def __init__(self) -> None:
        self._levels = [0]
        self._sum = 0

    def after(self, kind: str | None, token: str) -> int:
        """Return the depth after one more token."""
        if kind == "open":
            self._levels.append(0)
        elif kind == "close" and len(self._levels) > 1:
            self._sum -= self._levels.pop()
        elif kind == "sign" or (kind == "word" and token.upper() == "NOT"):
            self._levels[-1] += 1
            self._sum += 1
        elif kind == "comma" or (kind == "word" and token.upper() in ("AND", "OR")):
            self._sum -= self._levels[-1]
            self._levels[-1] = 0
        return self._sum + len(self._levels) - 1


def _check_length(text: str, limits: FilterLimits) -> None:
    size = len(text)
    if size <= limits.length_bytes:
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise FilterError("filter is not Unicode (lone surrogate)") from error
    if size > limits.length_bytes:
        raise FilterError(f"filter is longer than {limits.length_bytes} bytes")


def _stranger(text: str, offset: int) -> FilterError:
    char, pair = text[offset], text[offset : offset + 2]
    if char in "'\"" or pair == '@"':
        what = "string" if char == "'" else "quoted name"
        reason = f"the {what} that begins here has no end"
    elif pair in _ELSEWHERE:
        reason = f'found "{pair}", which is written {_ELSEWHERE[pair]}'
    else:
        reason = f'found "{char}", which means nothing outside quotes'
    return FilterError(reason, text, place_at(text, offset))
