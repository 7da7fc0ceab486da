"""Weights: how many bytes of memory a gateway's tables account for.

A weight is an estimate that is never far below what the interpreter takes: the bytes of bodies and
texts, and a constant for the objects around them. `benchmarks/bench_memory.py` compares the sum
with what a process really takes.
"""

from typing import Final

EVENT_BYTES: Final = 1500
"""What an event that is kept takes beside its texts and its body."""

_WIDE = 4


def weight_of_text(text: str) -> int:
    """Return the bytes of a text's characters, as many as the widest of them may take each."""
    return len(text) if text.isascii() else _WIDE * len(text)
