"""Writes a syntax tree as text again, without needless parentheses."""

import re
from typing import Final

from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    IsTrue,
    Leaf,
    Like,
    Negative,
    Not,
    Operand,
    Or,
    Parameter,
    Sign,
    Subject,
    Truth,
    Value,
    Within,
)

_RESERVED: Final = re.compile(
    "AND|BETWEEN|CONTAINS|ESCAPE|EXISTS|FALSE|IN|IS|LIKE|NOT|NULL|OR|SUBJECT|TRUE|WITHIN",
    re.IGNORECASE,  # as the grammar compares them, beyond ASCII too
)
_PLAIN_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def to_text(tree: Condition) -> str:
    """Return a filter's text, from which `parse` makes an equal tree."""
    match tree:
        case And(items):
            return " AND ".join(_grouped(item) for item in items)
        case Or(items):
            return " OR ".join(to_text(item) for item in items)
        case IsTrue(item):
            return f"({to_text(item)}) IS TRUE"
        case Not(item):
            return _inverse(item)
        case _:
            return _leaf(tree)


def operand_text(operand: Operand) -> str:
    """Return the text of an operand."""
    match operand:
        case Subject():
            return "subject"
        case Parameter(name):
            return name_text(name)
        case Attribute(name):
            return "@" + (name if _PLAIN_NAME.fullmatch(name) else _quoted(name, '"'))
        case Constant(value):
            return value_text(value)
        case Negative(inner):
            text = operand_text(inner)
            return f"-({text})" if isinstance(inner, Arithmetic) else f"-{text}"
        case Arithmetic(left, sign, right):
            return f"{_factor(left, sign, first=True)} {sign} {_factor(right, sign, first=False)}"


def name_text(name: str) -> str:
    """Return a parameter's name, quoted where it must be."""
    plain = _PLAIN_NAME.fullmatch(name) and not _RESERVED.fullmatch(name)
    return name if plain else _quoted(name, '"')


def value_text(value: Value) -> str:
    """Return the text of a constant."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _quoted(value, "'") if isinstance(value, str) else repr(value)


def _inverse(item: Condition) -> str:
    match item:
        case Affixed() | Like() | Among():
            return _test(item, "NOT ")
        case IsTrue(inner):
            return f"({to_text(inner)}) IS NOT TRUE"
        case And():
            return f"NOT ({to_text(item)})"
    return f"NOT {_grouped(item)}"


def _leaf(tree: Leaf) -> str:
    match tree:
        case Truth(value):
            return value_text(value)
        case Exists(reference):
            return f"EXISTS {operand_text(reference)}"
        case Comparison(left, relation, right):
            return f"{operand_text(left)} {relation} {operand_text(right)}"
        case Within(lat, lon, metres):
            return f"WITHIN({lat!r}, {lon!r}, {metres!r})"
        case Affixed() | Like() | Among():
            return _test(tree, "")


def _test(test: Affixed | Like | Among, inverted: str) -> str:
    operand = operand_text(test.operand)
    match test:
        case Affixed(_, affix, text):
            return f"{operand} {inverted}{affix} {value_text(text)}"
        case Like(_, pattern, escape):
            ending = f" ESCAPE {value_text(escape)}" if escape else ""
            return f"{operand} {inverted}LIKE {value_text(pattern)}{ending}"
        case Among(_, values):
            listed = ", ".join(value_text(constant.value) for constant in values)
            return f"{operand} {inverted}IN ({listed})"


def _grouped(tree: Condition) -> str:
    return f"({to_text(tree)})" if isinstance(tree, Or) else to_text(tree)


def _factor(operand: Operand, sign: Sign, *, first: bool) -> str:
    """Return an operand of a sign, in parentheses where the grammar would group differently."""
    text = operand_text(operand)
    if not isinstance(operand, Arithmetic):
        return text
    binds, needed = operand.sign in ("*", "/"), sign in ("*", "/")
    return text if binds > needed or (first and binds == needed) else f"({text})"


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote
