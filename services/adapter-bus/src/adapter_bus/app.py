"""One adapter of a building as a process: it dials its gateway and runs until told to stop."""

from fes.adapter.__main__ import main

__all__ = ["main"]
