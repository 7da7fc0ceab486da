"""Counters of a part, by name."""

import functools
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any


def counts_of(counters: Any) -> dict[str, int]:
    """Return the counts that a dataclass of two or more keeps, by name.

    A process with many adapters reads them often; `dataclasses.asdict` copies deeply, and costs
    twenty times as much.
    """
    kind: Any = type(counters)
    names, read = _reader(kind)
    return dict(zip(names, read(counters), strict=True))


@functools.lru_cache(maxsize=64)
def _reader(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[int, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)
