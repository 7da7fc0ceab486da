"""Plug-in functions that map what rules cannot express."""

from collections.abc import Callable, Iterable
from typing import Final

from fes.errors import EventError, MappingError
from fes.mapping.native import Native
from fes.model import Event, check_event
from fes.plugins import load_function

GROUP: Final = "fes.mappings"
"""Entry point group."""

Plugin = Callable[[Native | Event], Iterable[Native | Event]]
"""Maps a native event to events of the rule's subject, and an event to native ones.

It must not keep its argument, and is called from one task only.
"""


def load_plugin(name: str, where: str) -> Plugin:
    """Return the plug-in function of a name.

    Raises:
        MappingError: None or several are installed under that name, or it does not load.
    """
    return load_function(GROUP, name, lambda why: MappingError(f"{where}: {why}"))


def plugin_in(plugin: Plugin, native: Native, subject: str, where: str) -> list[Event]:
    """Return the events that a plug-in makes from a native event.

    Raises:
        MappingError: It failed, or made something other than valid events of `subject`.
    """
    events = []
    for made in _call(plugin, native, where):
        if not isinstance(made, Event) or made.subject != subject:
            raise MappingError(f"{where}: the plug-in must make events of subject {subject!r}")
        try:
            events.append(check_event(made))
        except EventError as error:
            raise MappingError(f"{where}: the plug-in's event: {error}") from error
    return events


def plugin_out(plugin: Plugin, event: Event, where: str) -> list[Native]:
    """Return the native events that a plug-in makes from an event.

    Raises:
        MappingError: It failed, or made something other than native events.
    """
    natives = []
    for made in _call(plugin, event, where):
        if not isinstance(made, Native):
            raise MappingError(f"{where}: the plug-in must make native events")
        natives.append(made)
    return natives


def _call(plugin: Plugin, given: Native | Event, where: str) -> list[Native | Event]:
    # Foreign code: whatever it raises, one bad event must not end the adapter.
    try:
        return list(plugin(given))
    except Exception as error:
        raise MappingError(f"{where}: plug-in failed: {error!r}") from error
