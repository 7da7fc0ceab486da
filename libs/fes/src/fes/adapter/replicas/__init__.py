"""Replicas of a gateway, seen from an adapter: a link to each, and one gateway to the inside."""

from fes.adapter.replicas.adapter_side import Inside
from fes.adapter.replicas.multiplexer import Multiplexer
from fes.adapter.replicas.replica_link import Line

__all__ = ["Inside", "Line", "Multiplexer"]
