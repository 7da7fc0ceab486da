"""Stateless steps of mappings.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.4.
"""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

from fes.errors import ScopeError
from fes.model import Event, Field, Type, type_of
from fes.plugins import load_function
from fes.scopes.mappings.mapping import MADE, Step

TYPES: Final = ("string", "long", "double", "longlong", "boolean")
"""Types that a parameter may be converted to."""

PLUGINS: Final = "fes.scope_mappings"
"""Entry points of mappings that are code: each maps an event to events."""

_CASTS: Final[dict[str, Callable[[Any], Any]]] = {
    "string": str,
    "long": int,
    "longlong": int,
    "double": float,
    "boolean": lambda value: value in (True, 1, "true", "1"),
}


def renamed(names: Mapping[str, str]) -> Step:
    """Return a step that renames parameters."""

    def step(event: Event) -> tuple[Event, ...]:
        return (
            _with(event, (Field(names.get(f.id, f.id), f.type, f.value) for f in event.parameters)),
        )

    return step


def without(names: frozenset[str]) -> Step:
    """Return a step that drops parameters."""

    def step(event: Event) -> tuple[Event, ...]:
        return (_with(event, (f for f in event.parameters if f.id not in names)),)

    return step


def scaled(factors: Mapping[str, tuple[float, float]]) -> Step:
    """Return a step that multiplies parameters and adds to them.

    Args:
        factors: By parameter: factor and offset. A value that is not a number blocks the event.
    """

    def scale(field: Field) -> Field:
        if field.id not in factors:
            return field
        factor, offset = factors[field.id]
        if isinstance(field.value, bool) or not isinstance(field.value, int | float):
            raise ScopeError(f"parameter {field.id!r} is not a number")
        return Field(field.id, Type.DOUBLE, field.value * factor + offset)

    return lambda event: (_with(event, map(scale, event.parameters)),)


def converted(types: Mapping[str, str]) -> Step:
    """Return a step that converts parameters; a value that does not convert blocks the event.

    Args:
        types: By parameter: one of `TYPES`.
    """

    def convert(field: Field) -> Field:
        if field.id not in types:
            return field
        kind = types[field.id]
        value = _CASTS[kind](field.value)
        return Field(field.id, Type[kind.upper()], value)

    return lambda event: (_with(event, map(convert, event.parameters)),)


def given(values: Mapping[str, Any]) -> Step:
    """Return a step that sets parameters to constant values."""
    fields = {name: Field(name, type_of(value), value) for name, value in values.items()}

    def step(event: Event) -> tuple[Event, ...]:
        kept = [fields.get(field.id, field) for field in event.parameters]
        known = {field.id for field in kept}
        return (_with(event, (*kept, *(f for name, f in fields.items() if name not in known))),)

    return step


def retitled(subject: str) -> Step:
    """Return a step that replaces the subject of an event."""
    return lambda event: (Event(subject, event.parameters, event.attributes),)


def blocked(_: Event) -> tuple[Event, ...]:
    """Block an event: it becomes the empty notification."""
    return ()


def plugin(name: str) -> Step:
    """Return the step that an installed package provides.

    Raises:
        ScopeError: None or several packages provide it, or it does not load.
    """
    function = load_function(PLUGINS, name, ScopeError)

    def step(event: Event) -> tuple[Event, ...]:
        # Foreign code: whatever it raises or returns, one event must not end the gateway.
        try:
            made = tuple(islice(function(event), MADE + 1))
        except Exception as error:
            raise ScopeError(f"plug-in {name!r} failed: {error!r}") from error
        if len(made) > MADE:
            raise ScopeError(f"plug-in {name!r} made more than {MADE} events of one")
        if not all(isinstance(each, Event) for each in made):
            raise ScopeError(f"plug-in {name!r} must make events")
        return made

    return step


def _with(event: Event, fields: Any) -> Event:
    return Event(event.subject, tuple(fields), event.attributes)
