"""The adapter of a building's event buses: a bus among them."""

from adapter_bus.adapter import BusAdapter
from adapter_bus.settings import Settings

__all__ = ["BusAdapter", "Settings"]
