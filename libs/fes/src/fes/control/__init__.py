"""Control events: they carry requests between clients and gateways, and among gateways."""

from fes.control.codec import from_event, is_control, to_event
from fes.control.event import CONTROL_SUBJECT, ControlEvent, RequestType
from fes.control.signal import Signal, is_signal, read_signal, signal_event

__all__ = [
    "CONTROL_SUBJECT",
    "ControlEvent",
    "RequestType",
    "Signal",
    "from_event",
    "is_control",
    "is_signal",
    "read_signal",
    "signal_event",
    "to_event",
]
