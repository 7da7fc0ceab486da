"""The exceptions of logs, named as in `DsLogAdmin`, with their data.

EventServiceError
├── LogFullError (RuntimeError)          a log that halts is full
├── LogOffDutyError (RuntimeError)       it is outside its interval or week mask
├── LogLockedError (RuntimeError)        it is locked: nothing is written
├── LogDisabledError (RuntimeError)      its store fails: nothing is written or read
├── LogIdAlreadyExistsError (ValueError) there is a log of that id
├── LogNotFoundError (LookupError)       there is none of that id
├── InvalidRecordIdError (LookupError)   there is no record of that id
└── InvalidLogValueError (ValueError)    a value is not valid
    ├── InvalidParamError       ├── InvalidThresholdError   ├── InvalidTimeError
    ├── InvalidTimeIntervalError ├── InvalidMaskError        ├── InvalidLogFullActionError
    ├── InvalidAttributeError   └── UnsupportedLogQoSError
"""

from eventservices.cns.errors import NotFoundError
from eventservices.errors import EventServiceError


class LogFullError(EventServiceError, RuntimeError):
    """Raised when a log that halts is full.

    Args:
        n_records_written: Records of the call that were written before it was.
    """

    def __init__(self, n_records_written: int) -> None:
        super().__init__(f"the log is full; {n_records_written} records were written")
        self.n_records_written = n_records_written


class LogOffDutyError(EventServiceError, RuntimeError):
    """Raised when a log is outside its interval or its week mask."""


class LogLockedError(EventServiceError, RuntimeError):
    """Raised when records are written to a log that is locked."""


class LogDisabledError(EventServiceError, RuntimeError):
    """Raised when a log's store has failed."""


class LogIdAlreadyExistsError(EventServiceError, ValueError):
    """Raised when a log is to be made under an id that another has."""


class LogNotFoundError(NotFoundError):
    """Raised when there is no log of that id."""


class InvalidRecordIdError(NotFoundError):
    """Raised when a log has no record of that id."""


class InvalidLogValueError(EventServiceError, ValueError):
    """Raised when a value is not valid; nothing was changed."""


class InvalidParamError(InvalidLogValueError):
    """Raised when a parameter is out of range."""


class InvalidThresholdError(InvalidLogValueError):
    """Raised when a threshold is not 0 to 100 per cent, or there are too many."""


class InvalidTimeError(InvalidLogValueError):
    """Raised when a time is not valid."""


class InvalidTimeIntervalError(InvalidLogValueError):
    """Raised when an interval ends before it begins."""


class InvalidMaskError(InvalidLogValueError):
    """Raised when a week mask names no day, or an unknown one."""


class InvalidLogFullActionError(InvalidLogValueError):
    """Raised when an action of a full log is neither to wrap nor to halt."""


class InvalidAttributeError(InvalidLogValueError):
    """Raised when an attribute of a record has no name, or a value that no Any carries."""


class UnsupportedLogQoSError(InvalidLogValueError):
    """Raised when a log cannot be as safe as is requested; the standard calls it `UnsupportedQoS`.

    Args:
        denied: What was requested.
    """

    def __init__(self, denied: object) -> None:
        super().__init__(f"{denied!r} is neither none 0, flush 1 nor reliability 2")
        self.denied = denied
