"""The adapter in a process of its own."""

from fes.adapter.__main__ import main

__all__ = ["main"]
