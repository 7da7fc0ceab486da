"""ETCL by the book: a slow evaluator that shares nothing with the product's."""

import math
from typing import Any

from support.etcl.parser import parsed
from support.etcl.parts import Undefined, elements, found, told, union_of


def reference_matches(text: str, event: Any) -> bool:
    """Tell whether a constraint is true for an event; raise `SyntaxWrong` where it is none."""
    tree = parsed(text)
    try:
        return bool(evaluated(tree, event) == ("bool", True))
    except Undefined:
        return False


def evaluated(tree: Any, event: Any) -> tuple[str, Any]:
    """Return the value of a tree, told as IDL."""
    kind = tree[0]
    if kind == "constant":
        return _literal(tree[1])
    if kind == "bare":
        return ("bare", tree[1])
    if kind == "component":
        return told(found(tree, event, exact=False))
    if kind in ("and", "or", "not"):
        return ("bool", _connected(kind, tree[1:], event))
    return _operated(kind, tree, event)


def _connected(kind: str, items: Any, event: Any) -> bool:
    if kind == "not":
        return not _boolean(evaluated(items[0], event))
    for item in items:
        if _boolean(evaluated(item, event)) == (kind == "or"):
            return kind == "or"
    return kind == "and"


def _operated(kind: str, tree: Any, event: Any) -> tuple[str, Any]:
    if kind == "exist":
        try:
            found(tree[1], event, exact=True)
        except Undefined:
            return ("bool", False)
        return ("bool", True)
    if kind == "default":
        _, name, steps = tree[1]
        if steps and steps[-1] == ("implicit", "_d"):
            steps = steps[:-1]
        return ("bool", union_of(found(("component", name, steps), event, exact=False))["default"])
    left = evaluated(tree[1], event)
    if kind == "in":
        items = elements(found(tree[2], event, exact=False))
        return ("bool", any(_compared("==", left, told(item)) for item in items))
    right = evaluated(tree[2], event)
    if kind == "~":
        if {left[0], right[0]} - {"str", "letter"}:
            raise Undefined
        return ("bool", left[1] in right[1])
    return (
        _calculated(kind, left, right) if kind in "+-*/" else ("bool", _compared(kind, left, right))
    )


def _literal(value: Any) -> tuple[str, Any]:
    if isinstance(value, str):
        return ("letter" if len(value) == 1 else "str", value)
    return told(value)


def _boolean(value: tuple[str, Any]) -> bool:
    if value[0] != "bool":
        raise Undefined
    return bool(value[1])


def _compared(sign: str, left: tuple[str, Any], right: tuple[str, Any]) -> bool:
    first, second = _pair(sign, left, right)
    return bool({
        "==": first == second, "!=": first != second,
    }[sign] if sign in ("==", "!=") else {
        "<": first < second, "<=": first <= second, ">": first > second, ">=": first >= second,
    }[sign])  # fmt: skip


def _pair(sign: str, left: tuple[str, Any], right: tuple[str, Any]) -> tuple[Any, Any]:
    kinds = (left[0], right[0])
    numbers, characters = {"bool", "int", "float"}, {"letter", "char"}
    if set(kinds) <= numbers or set(kinds) <= {"str", "letter"} or set(kinds) <= characters:
        return left[1], right[1]
    if kinds[0] in characters and kinds[1] in ("int", "float"):
        return ord(left[1]), right[1]
    if kinds[1] in characters and kinds[0] in ("int", "float"):
        return left[1], ord(right[1])
    if sign in ("==", "!="):
        if kinds == ("enum", "enum"):
            (first, one), (second, other) = left[1], right[1]
            if not one or not other or one == other:
                return first, second
        elif kinds == ("enum", "bare"):
            return left[1][0], right[1]
        elif kinds == ("bare", "enum"):
            return left[1], right[1][0]
    raise Undefined


def _calculated(sign: str, left: tuple[str, Any], right: tuple[str, Any]) -> tuple[str, Any]:
    kinds = {left[0], right[0]}
    if "bool" in kinds and kinds & {"letter", "char"}:
        raise Undefined
    first, second = _numeric(left), _numeric(right)
    if sign == "/" and second == 0:
        raise Undefined
    whole = isinstance(first, int) and isinstance(second, int)
    if sign == "/" and whole:
        result: Any = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
    else:
        result = {
            "+": lambda: first + second, "-": lambda: first - second,
            "*": lambda: first * second, "/": lambda: first / second,
        }[sign]()  # fmt: skip
    if whole and not -(2**63) <= result < 2**64:
        raise Undefined
    if not math.isfinite(result) and math.isfinite(first) and math.isfinite(second):
        raise Undefined
    return told(result)


def _numeric(value: tuple[str, Any]) -> Any:
    kind, content = value
    if kind in ("letter", "char"):
        return ord(content)
    if kind not in ("bool", "int", "float"):
        raise Undefined
    if kind != "float" and not -(2**63) <= content < 2**64:
        raise Undefined
    return content if kind == "float" else int(content)
