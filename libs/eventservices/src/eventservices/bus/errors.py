"""The exceptions of the event bus, as the thesis's interfaces declare them.

BusError                       (EventServiceError)
├── EventNameError             (ValueError)      no valid name of an event or a domain
├── FilterError                (ValueError)      no valid filter
├── TypeMismatchError          (ValueError)      values that the event's declared type has not
├── AdvertiseError             (RuntimeError)    an advertisement failed
├── UnadvertiseError           (LookupError)     there is no such source
├── SubscriptionError          (RuntimeError)    a subscription failed
├── UnsubscribeError           (LookupError)     there is no such sink
└── NotifyError                (RuntimeError)    an event was not accepted

Source:
    Smart-building thesis, appendix A.
"""

from typing import Final

from eventservices.errors import EventServiceError


class BusError(EventServiceError):
    """Is the base of the bus's own exceptions."""


class EventNameError(BusError, ValueError):
    """Raised when a name is not a valid name of an event or a domain."""


class FilterError(BusError, ValueError):
    """Raised when a filter is too large, or not valid."""


class TypeMismatchError(BusError, ValueError):
    """Raised when values are not those of the event's declared type."""


class AdvertiseError(BusError, RuntimeError):
    """Raised when a source cannot be advertised."""


class UnadvertiseError(BusError, LookupError):
    """Raised when a source that is to be unadvertised is unknown."""


REFUSED_BY_POLICY: Final = 1
BUS_FULL: Final = 2
NOT_VALID: Final = 3


class SubscriptionError(BusError, RuntimeError):
    """Raised when a subscription fails.

    Args:
        reason: For people.
        number: `REFUSED_BY_POLICY`, `BUS_FULL` or `NOT_VALID`.
    """

    def __init__(self, reason: str, number: int = NOT_VALID) -> None:
        super().__init__(reason)
        self.reason = reason
        self.number = number


class UnsubscribeError(BusError, LookupError):
    """Raised when a sink that is to be unsubscribed is unknown."""


class NotifyError(BusError, RuntimeError):
    """Raised when an event is not accepted; none of it was sent."""
