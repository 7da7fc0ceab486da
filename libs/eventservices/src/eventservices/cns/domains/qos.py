"""The quality of service of a domain: whether cycles and diamonds are forbidden.

Properties of channels are not properties of a domain: in the standard a domain's precede a
channel's, which no channel that exists could follow (MEDIator does without for that reason), so
they are refused here and a channel keeps its own.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Final

from eventservices.cns.qos import ErrorCode, PropertyError, PropertyRange, UnsupportedQoSError
from eventservices.cns.qos.errors import UnsupportedAdminError
from eventservices.cns.qos.properties import QOS


class DomainQoS(StrEnum):
    """The names of a domain's properties."""

    CYCLE_DETECTION = "CycleDetection"
    DIAMOND_DETECTION = "DiamondDetection"


class CycleDetection(IntEnum):
    """Whether a connection may close a cycle."""

    AUTHORIZE_CYCLES = 0
    FORBID_CYCLES = 1


class DiamondDetection(IntEnum):
    """Whether a connection may make a diamond."""

    AUTHORIZE_DIAMONDS = 0
    FORBID_DIAMONDS = 1


STANDARD: Final[Mapping[str, int]] = {
    DomainQoS.CYCLE_DETECTION: CycleDetection.AUTHORIZE_CYCLES,
    DomainQoS.DIAMOND_DETECTION: DiamondDetection.AUTHORIZE_DIAMONDS,
}
"""The standard's defaults."""

SHIPPED: Final[Mapping[str, int]] = {
    DomainQoS.CYCLE_DETECTION: CycleDetection.FORBID_CYCLES,
    DomainQoS.DIAMOND_DETECTION: DiamondDetection.FORBID_DIAMONDS,
}
"""What the product ships, as the paper argues for."""

_LEGAL: Final = PropertyRange(0, 1)
_NAMES: Final = tuple(map(str, DomainQoS))


def judge_qos(required: Mapping[str, object], available: Mapping[str, int]) -> dict[str, int]:
    """Return the properties that are requested, or refuse them all.

    Args:
        required: New values by name.
        available: Highest value that each property may have as things are.

    Raises:
        UnsupportedQoSError: Some are not available; it lists all of these.
    """
    errors = [error for item in required.items() if (error := _error(*item, available))]
    if errors:
        raise UnsupportedQoSError(errors)
    return {str(name): int(value) for name, value in required.items()}  # type: ignore[call-overload] # each is an integer, else there were errors


def ranges(available: Mapping[str, int]) -> dict[str, PropertyRange]:
    """Return the values that each property may have as things are."""
    return {name: PropertyRange(0, available[name]) for name in _NAMES}


def refuse_admin(required: Mapping[str, object]) -> None:
    """Refuse administrative properties: the standard defines none for domains.

    Raises:
        UnsupportedAdminError: There is any; it lists all of them.
    """
    if required:
        bad = [PropertyError(ErrorCode.BAD_PROPERTY, str(name)) for name in required]
        raise UnsupportedAdminError(bad)


def _error(name: str, value: object, available: Mapping[str, int]) -> PropertyError | None:
    if name not in _NAMES:
        known = name in QOS
        code = ErrorCode.UNSUPPORTED_PROPERTY if known else ErrorCode.BAD_PROPERTY
        return PropertyError(code, str(name))
    if isinstance(value, bool) or not isinstance(value, int):
        return PropertyError(ErrorCode.BAD_TYPE, str(name))
    if not _LEGAL.low <= value <= _LEGAL.high:  # type: ignore[operator] # a range of integers has both ends
        return PropertyError(ErrorCode.BAD_VALUE, str(name), _LEGAL)
    if value > available[name]:
        allowed = PropertyRange(0, available[name])
        return PropertyError(ErrorCode.UNAVAILABLE_VALUE, str(name), allowed)
    return None
