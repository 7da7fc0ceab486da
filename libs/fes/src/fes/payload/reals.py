"""Numbers of real fields, as schemas have them, and what they lose."""

import math
import struct

from fes.errors import CodecError
from fes.payload.losses import Losses


def real(value: float, place: str, losses: Losses, *, single: bool) -> float:
    """Return a number as a field of 64 or 32 bits has it, and count what it loses.

    Args:
        value: A whole number becomes a real one.
        place: Where it is, for the message.
        losses: Counts it.
        single: Whether the field has 32 bits.

    Raises:
        CodecError: It is out of range.
    """
    try:
        made = float(value)
        if single:
            made = struct.unpack("<f", struct.pack("<f", made))[0]
    except OverflowError as error:
        raise CodecError(f"{place}: {value!r:.40} is out of range") from error
    losses.types_changed += isinstance(value, int)
    losses.precision_lost += made != value and not math.isnan(made)
    return made
