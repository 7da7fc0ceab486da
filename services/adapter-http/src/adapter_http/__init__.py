"""The HTTP adapter: maps CloudEvents over HTTP to the FES event model and back."""

from adapter_http.adapter import HttpAdapter
from adapter_http.settings import Settings

__all__ = ["HttpAdapter", "Settings"]
