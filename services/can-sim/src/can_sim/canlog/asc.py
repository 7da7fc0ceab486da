"""The text of Vector's ASC logs."""

from eventservices.canlog.asc import AscParser

__all__ = ["AscParser"]
