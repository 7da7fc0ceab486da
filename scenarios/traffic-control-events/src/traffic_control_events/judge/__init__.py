"""Judges a run by what native clients wrote down: plain Python, which shares only the story.

It knows nothing of filters, routes, control events or radio as the product has them; it reads what
the vehicle published, where it was, and what each client received.
"""

from traffic_control_events.judge.errors import UnjudgedError
from traffic_control_events.judge.rows import Row
from traffic_control_events.judge.verdict import Verdict, judge

__all__ = ["Row", "UnjudgedError", "Verdict", "judge"]
