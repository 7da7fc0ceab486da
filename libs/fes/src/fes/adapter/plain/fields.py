"""Parameters and attributes that a message has in several places."""

from collections.abc import Iterable

from fes.model import Field


def lacking(fields: Iterable[Field], others: Iterable[Field]) -> tuple[Field, ...]:
    """Return the fields whose names others lack, in their order."""
    known = {field.id for field in others}
    return tuple(field for field in fields if field.id not in known)
