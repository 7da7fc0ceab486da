"""JSON, strictly: what two readers could take for two things is refused."""

import json
import math
from collections import Counter
from typing import Any, NoReturn

from fes.errors import CodecError


def parse_json(text: str) -> Any:
    """Return the plain value of a JSON text; integers and doubles stay apart.

    Raises:
        CodecError: The text is not JSON, or has a bare NaN, a number out of range, a member twice
            or more nesting than the reader follows.
    """
    try:
        return json.loads(
            text, object_pairs_hook=unique, parse_constant=_refuse_constant, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, CodecError):
            raise
        raise CodecError(f"not JSON: {error}") from error


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object.

    Raises:
        CodecError: One stands twice.
    """
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise CodecError(f"member {twice!r} stands twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise CodecError(f"not JSON: bare {name}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CodecError(f"not JSON: number {text[:40]} is out of range")
    return value
