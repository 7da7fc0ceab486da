"""One JMS adapter as a process: it dials its gateway and runs until it is stopped."""

from fes.adapter.__main__ import main

__all__ = ["main"]
