"""One CNS adapter as a process: it dials its gateway and runs until a signal ends it."""

from fes.adapter.__main__ import main

__all__ = ["main"]
