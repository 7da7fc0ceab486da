"""Functions that installed packages provide under entry points."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from fes.errors import FesError


def load_function(group: str, name: str, refused: Callable[[str], FesError]) -> Callable[..., Any]:
    """Return the function that one installed package provides.

    Args:
        group: Entry point group.
        name: Name of the entry point.
        refused: Returns the error to raise, of the reason.

    Raises:
        FesError: As `refused` returns it: none or several are installed under that name, or what
            is installed does not load or is not a function.
    """
    found = tuple(entry_points(group=group, name=name))
    if len(found) != 1:
        how_many = (
            "no installed package provides" if not found else f"{len(found)} packages provide"
        )
        raise refused(f"{how_many} the plug-in {name!r} ({group})")
    try:
        function = found[0].load()
    except (ImportError, AttributeError) as error:
        raise refused(f"plug-in {name!r} ({group}) does not load: {error}") from error
    if not callable(function):
        raise refused(f"plug-in {name!r} ({group}) is not a function")
    loaded: Callable[..., Any] = function
    return loaded
