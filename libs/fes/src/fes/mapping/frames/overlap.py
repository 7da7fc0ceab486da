"""Finds fields of a payload that would overwrite one another outbound."""

from collections.abc import Iterable

from fes.mapping.frames.bits import Bits
from fes.mapping.frames.frame import Cell
from fes.mapping.frames.layout import Octets, Text


def overlap(cells: Iterable[Cell]) -> tuple[Cell, Cell] | None:
    """Return two cells that share a bit; None where none do.

    Cells that depend on a selector are ignored: only some of them are present at a time.
    """
    settled = [cell for cell in cells if not cell.when]
    end = max((cell.size for cell in settled), default=0)
    masks = [(cell, _masks(cell, end)) for cell in settled]
    for at, (cell, mine) in enumerate(masks):
        for other, theirs in masks[:at]:
            if any(mine[octet] & theirs.get(octet, 0) for octet in mine):
                return other, cell
    return None


def _masks(cell: Cell, end: int) -> dict[int, int]:
    layout = cell.layout
    if isinstance(layout, Text | Octets):
        last = max(end, layout.first + 1) - 1 if layout.last is None else layout.last
        return dict.fromkeys(range(layout.first, last + 1), 0xFF)
    bits = getattr(layout, "bits", None)
    return _bit_masks(bits) if isinstance(bits, Bits) else {}


def _bit_masks(bits: Bits) -> dict[int, int]:
    whole = ((1 << bits.length) - 1) << bits.shift
    octets = whole.to_bytes(bits.last + 1 - bits.first, bits.endian)
    return {bits.first + at: mask for at, mask in enumerate(octets) if mask}
