"""The event log: one JSON line for every decision of every component; data, not diagnostics."""

from fes.eventlog.schema import Decision, Record
from fes.eventlog.writer import EventLog, NullLog

__all__ = ["Decision", "EventLog", "NullLog", "Record"]
