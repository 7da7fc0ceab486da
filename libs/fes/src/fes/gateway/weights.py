"""Weights: how many bytes of memory a gateway's tables account for.

A weight is an estimate that is never far below what the interpreter uses: the bytes of bodies and
texts, and a constant for the objects around them. `benchmarks/bench_memory.py` compares the sum
with what a process really uses.
"""

from typing import Final

EVENT_BYTES: Final = 1500
"""Bytes that a kept event accounts for beside its texts and its body."""

_WIDE = 4


def weight_of_text(text: str) -> int:
    """Return the bytes of a text's characters, each counted as the widest of them."""
    return len(text) if text.isascii() else _WIDE * len(text)
