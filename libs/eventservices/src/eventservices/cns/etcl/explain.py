"""Syntax errors in the words of the language."""

import re
from collections.abc import Iterable

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from eventservices.cns.etcl.errors import InvalidConstraintError
from eventservices.cns.etcl.words import RESERVED

_SAYINGS = (
    ({"DOLLAR", "STRING", "INTEGER"}, "a value"),
    ({"DOLLAR", "BARE"}, 'a component, "$…", or a name'),
    ({"DOLLAR"}, 'a component, "$…"'),
    ({"NAME", "IMPLICIT"}, 'a name, a number, "(" or _length, _d, _type_id, _repos_id'),
    ({"NAME", "RPAR"}, 'a label of a union or ")"'),
    ({"NAME", "STRING"}, "a name"),
    ({"INTEGER", "FLOAT"}, "a number"),
    ({"INTEGER"}, "a number"),
    ({"PLUS", "TIMES"}, "an operator or {end}"),
    ({"PLUS"}, "an operator or {end}"),
    ({"_IN"}, "in, a comparison, and, or, or {end}"),
    ({"RELATION"}, "a comparison, and, or, or {end}"),
    ({"_AND"}, "and, or, or {end}"),
    ({"_OR"}, "or, or {end}"),
)
_WORDS = {"RPAR": '")"', "LPAR": '"("', "RSQB": '"]"', "$END": "the end of the constraint"}
_ELSEWHERE = {"=": "==", "&&": "and", "||": "or", "!": "not"}
_WORD = re.compile("[A-Za-z]+")
_CALLED = 40


def explain(error: UnexpectedInput, text: str) -> InvalidConstraintError:
    """Return what the parser's error means for people: found, expected, where."""
    if isinstance(error, UnexpectedToken):
        token: Token = error.token
        at_end = token.type == "$END"
        offset = len(text) if at_end else token.start_pos or 0
        found = "the end of the constraint" if at_end else _quoted(str(token))
        names = set(error.accepts or error.expected)
    else:
        offset = error.pos_in_stream or 0
        found = _quoted(text[offset : offset + 1])
        names = {"$END"}  # the lexer knows not whether a parenthesis is open
        if isinstance(error, UnexpectedCharacters):
            names |= error.allowed
    reason = f"expected {expected(names)}, found {found}{_hint(text, offset)}"
    return InvalidConstraintError(reason, text, offset)


def expected(terminals: Iterable[str]) -> str:
    """Return what a set of the grammar's terminals is called."""
    names = set(terminals)
    end = '")"' if "RPAR" in names and "$END" not in names else _WORDS["$END"]
    for key, saying in _SAYINGS:
        if key <= names:
            return saying.format(end=end)
    return " or ".join(sorted(_WORDS.get(name, name) for name in names)) or "something else"


def _hint(text: str, offset: int) -> str:
    word = _WORD.match(text, offset)
    if word and word.group() in RESERVED:
        return f"; as a name it is written \\{word.group()}"
    if text[max(0, offset - 1) : offset + 1] == "<>":
        return "; <> is written !="
    for other, ours in _ELSEWHERE.items():
        if text.startswith(other, offset):
            return f"; {other} is written {ours}"
    return ""


def _quoted(found: str) -> str:
    return f'"{found}"' if len(found) <= _CALLED else f'"{found[:_CALLED]}…"'
