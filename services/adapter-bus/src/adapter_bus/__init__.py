"""The adapter of a building's event buses: a bus among them."""

from adapter_bus.adapter import BusAdapter

__all__ = ["BusAdapter"]
