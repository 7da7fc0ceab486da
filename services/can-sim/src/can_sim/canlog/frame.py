"""A frame as a CAN log reports it."""

from eventservices.canlog.frame import (
    ERROR_FLAG,
    MAX_EXTENDED_ID,
    MAX_STANDARD_ID,
    Kind,
    LogFrame,
)

__all__ = ["ERROR_FLAG", "MAX_EXTENDED_ID", "MAX_STANDARD_ID", "Kind", "LogFrame"]
