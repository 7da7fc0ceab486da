"""What is wrong with properties that a client requested.

EventServiceError
└── PropertiesError (ValueError)       one or more properties cannot be had; nothing was changed
    ├── UnsupportedQoSError            quality of service
    └── UnsupportedAdminError          administrative properties of a channel

Source:
    OMG Notification Service 1.1, `CosNotification` IDL.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from eventservices.cns.qos.kinds import PropertyValue
from eventservices.errors import EventServiceError


class ErrorCode(Enum):
    """Why a property cannot be had."""

    UNSUPPORTED_PROPERTY = 0
    UNAVAILABLE_PROPERTY = 1
    UNSUPPORTED_VALUE = 2
    UNAVAILABLE_VALUE = 3
    BAD_PROPERTY = 4
    BAD_TYPE = 5
    BAD_VALUE = 6


class PropertyRange(NamedTuple):
    """The values that a property may have, both ends among them."""

    low: PropertyValue
    high: PropertyValue


@dataclass(frozen=True, slots=True)
class PropertyError:
    """What is wrong with one property.

    Attributes:
        code: Why.
        name: The property.
        available_range: What it may be; only where a value is wrong, else None.
    """

    code: ErrorCode
    name: str
    available_range: PropertyRange | None = None

    def __str__(self) -> str:
        """Name the property, the reason and the range."""
        found = self.available_range
        allowed = f" (allowed: {found.low} .. {found.high})" if found else ""
        return f"{self.name}: {self.code.name}{allowed}"


class PropertiesError(EventServiceError, ValueError):
    """Raised when properties cannot be set; nothing was changed.

    Args:
        errors: All that is wrong, in the order of the request.
    """

    def __init__(self, errors: Sequence[PropertyError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = tuple(errors)


class UnsupportedQoSError(PropertiesError):
    """Raised when a quality of service cannot be set; OMG calls its list `qos_err`."""

    @property
    def qos_err(self) -> tuple[PropertyError, ...]:
        """All that is wrong."""
        return self.errors


class UnsupportedAdminError(PropertiesError):
    """Raised when administrative properties cannot be set; OMG calls its list `admin_err`."""

    @property
    def admin_err(self) -> tuple[PropertyError, ...]:
        """All that is wrong."""
        return self.errors
