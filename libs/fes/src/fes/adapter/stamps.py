"""Conversion between stamps of native client APIs and of the federation."""

from eventservices.stamp import MAX_VIA
from eventservices.stamp import Stamp as NativeStamp

from fes.model import Stamp


def from_native(stamp: NativeStamp) -> tuple[Stamp, tuple[str, ...]]:
    """Return the federation's stamp of a native one, and the event services that it passed."""
    return (
        Stamp(stamp.origin, stamp.epoch, stamp.sequence, stamp.time_us, stamp.home),
        stamp.via,
    )


def to_native(stamp: Stamp, via: tuple[str, ...]) -> NativeStamp:
    """Return the federation's stamp as a native one.

    Args:
        stamp: The stamp.
        via: Event services passed, oldest first; of more than `MAX_VIA` the further ones are left
            out.
    """
    return NativeStamp(
        stamp.origin, stamp.epoch, stamp.sequence, stamp.time_us, stamp.home, via[:MAX_VIA]
    )
