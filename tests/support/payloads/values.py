"""Parameters, written shortly."""

from typing import Any

from fes.model import Event, Field


def fields(**values: Any) -> tuple[Field, ...]:
    """Return parameters of the smallest types that have the values."""
    return Event.of("x", values).parameters
