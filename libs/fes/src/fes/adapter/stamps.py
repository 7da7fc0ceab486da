"""Stamps of native client APIs and of the federation, one as the other."""

from eventservices.stamp import MAX_VIA
from eventservices.stamp import Stamp as NativeStamp

from fes.model import Stamp


def from_native(stamp: NativeStamp) -> tuple[Stamp, tuple[str, ...]]:
    """Return a native stamp as the federation's, and the event services that it names as passed."""
    return (
        Stamp(stamp.origin, stamp.epoch, stamp.sequence, stamp.time_us, stamp.home),
        stamp.via,
    )


def to_native(stamp: Stamp, via: tuple[str, ...]) -> NativeStamp:
    """Return the federation's stamp as a native one.

    Args:
        stamp: The stamp.
        via: Event services passed, oldest first; at most `MAX_VIA`, further ones are not reported.
    """
    return NativeStamp(
        stamp.origin, stamp.epoch, stamp.sequence, stamp.time_us, stamp.home, via[:MAX_VIA]
    )
