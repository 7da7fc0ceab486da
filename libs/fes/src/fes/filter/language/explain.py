"""Syntax errors in terms of the filter language."""

from collections.abc import Iterable

from lark import Token, UnexpectedInput, UnexpectedToken

from fes.errors import FilterError
from fes.filter.language.scan import place_at

_WORDS = {"LPAR": '"("', "COMMA": '","'}
_SAYINGS = (
    ({"_NULL", "_NOT"}, "NULL, NOT NULL, TRUE or FALSE"),
    ({"_NULL"}, "NULL, TRUE or FALSE"),
    ({"_EXISTS"}, "a comparison"),
    ({"RELATION"}, "a comparison"),
    ({"NAME", "STRING"}, "a value"),
    ({"NAME"}, "a name"),
    ({"STRING", "NUMBER", "TRUE"}, "a string, a number, TRUE or FALSE"),
    ({"_ESCAPE", "_AND"}, "ESCAPE, AND, OR or the end of the test"),
    ({"_BETWEEN", "_LIKE"}, "BETWEEN, IN, LIKE, STARTS WITH, ENDS WITH or CONTAINS"),
    ({"_AND", "RPAR"}, 'AND, OR or ")"'),
    ({"_AND", "$END"}, "AND, OR or the end of the filter"),
    ({"_AND", "PLUS"}, "AND"),
    ({"COMMA", "RPAR"}, '"," or ")"'),
    ({"COMMA"}, '","'),
    ({"STRING"}, "a string"),
    ({"NUMBER"}, "a number"),
    ({"RPAR"}, '")"'),
    ({"$END"}, "AND, OR or the end of the filter"),
)


def explain(error: UnexpectedInput, text: str) -> FilterError:
    """Return an error for people: what was found, what was expected, and where."""
    if not isinstance(error, UnexpectedToken):
        place = place_at(text, error.pos_in_stream or 0)
        return FilterError(f"expected {expected(())}, found {error.args[0]}", text, place)
    token: Token = error.token
    at_end = token.type == "$END"
    place = place_at(text, len(text) if at_end else token.start_pos or 0)
    return FilterError(f"expected {expected(error.accepts)}, found {found(token)}", text, place)


def found(token: Token) -> str:
    """Return a token as it appears in a message."""
    return "the end of the filter" if token.type == "$END" else quoted(str(token))


def quoted(text: str) -> str:
    """Return a piece of a filter in quotes, short enough for a message."""
    return f'"{shortened(text, 40)}"'


def shortened(text: str, length: int = 80) -> str:
    """Return a text, cut to at most `length` characters."""
    return text if len(text) <= length else f"{text[:length]}…"


def expected(terminals: Iterable[str]) -> str:
    """Return the description of a set of the grammar's terminals."""
    names = set(terminals)
    for key, saying in _SAYINGS:
        if key <= names:
            return saying
    words = sorted(_WORDS.get(name, name.strip("_")) for name in names)
    return " or ".join(words) or "something else"
