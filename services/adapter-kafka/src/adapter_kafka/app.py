"""One Kafka adapter as a process: it dials its gateway and runs until it is requested to stop."""

from fes.adapter.__main__ import main

__all__ = ["main"]
