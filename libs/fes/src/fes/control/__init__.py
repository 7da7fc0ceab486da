"""Control events: how requests travel between clients and gateways, and among gateways."""

from fes.control.codec import from_event, is_control, to_event
from fes.control.event import CONTROL_SUBJECT, ControlEvent, RequestType

__all__ = ["CONTROL_SUBJECT", "ControlEvent", "RequestType", "from_event", "is_control", "to_event"]
