"""The SIENA adapter: maps SIENA to the FES event model and back."""

from adapter_siena.adapter import SienaAdapter
from adapter_siena.settings import Settings

__all__ = ["Settings", "SienaAdapter"]
