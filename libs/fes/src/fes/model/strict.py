"""Strict JSON: what two readers could read differently is refused."""

import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from fes.errors import CodecError

_Read = TypeVar("_Read")
_Made = TypeVar("_Made")


def parse_json(text: str, most: int | None = None) -> Any:
    """Return the plain value of a JSON text; integers and doubles stay apart.

    Args:
        text: The text.
        most: Most objects, and most doubles, in the text; None for any number.

    Raises:
        CodecError: The text is not JSON, has a bare NaN, a number out of range or a member twice,
            or is nested deeper than the reader permits.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=unique if most is None else bounded(unique, most, "objects"),
            parse_constant=_refuse_constant,
            parse_float=_finite if most is None else bounded(_finite, most, "doubles"),
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, CodecError):
            raise
        raise CodecError(f"not JSON: {error}") from error


def bounded(function: Callable[[_Read], _Made], most: int, what: str) -> Callable[[_Read], _Made]:
    """Return a function that raises an error when it is called more often than `most`.

    Args:
        function: Reads a part of a text.
        most: How often it may be called.
        what: What it reads, for the message.
    """
    left = most

    def counted(read: _Read) -> _Made:
        nonlocal left
        left -= 1
        if left < 0:
            raise CodecError(f"more than {most} {what}")
        return function(read)

    return counted


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object.

    Raises:
        CodecError: One occurs twice.
    """
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise CodecError(f"member {twice!r} occurs twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise CodecError(f"not JSON: bare {name}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CodecError(f"not JSON: number {text[:40]} is out of range")
    return value
