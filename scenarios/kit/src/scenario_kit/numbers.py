"""Numbers on command lines, each within its range."""

import argparse

PORTS = range(1, 65536)
MOST = 1_000_000.0
"""Longest duration, in seconds, and largest speed-up."""


def whole_number(text: str) -> int:
    """Return a whole number of at least 1; argparse names this function where it is not one."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return value


def positive_number(text: str) -> float:
    """Return a number above 0 and up to `MOST`."""
    value = float(text)
    if not 0 < value <= MOST:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and {MOST:g}")
    return value


def port(text: str) -> int:
    """Return the number of a port."""
    value = int(text)
    if value not in PORTS:
        raise argparse.ArgumentTypeError(f"{text} is not a valid port")
    return value
