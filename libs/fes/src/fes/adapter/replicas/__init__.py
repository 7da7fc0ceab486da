"""Replicas of a gateway, as an adapter sees them: a link to each, and one gateway inside."""

from fes.adapter.replicas.inside import Inside
from fes.adapter.replicas.line import Line
from fes.adapter.replicas.switchboard import Switchboard

__all__ = ["Inside", "Line", "Switchboard"]
