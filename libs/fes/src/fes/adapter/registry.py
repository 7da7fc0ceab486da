"""The registry of adapters: entry points of the group `fes.adapters`."""

from functools import cache
from importlib.metadata import entry_points

from fes.adapter.base import AnyAdapter
from fes.errors import AdapterError

GROUP = "fes.adapters"


def adapter_kinds() -> tuple[str, ...]:
    """Return the kinds of event services for which an adapter is installed, sorted."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


@cache
def adapter_class(kind: str) -> type[AnyAdapter]:
    """Return the adapter class for a kind of event service.

    Raises:
        AdapterError: No adapter is installed for it.
    """
    for point in entry_points(group=GROUP):
        if point.name == kind:
            found: type[AnyAdapter] = point.load()
            return found
    raise AdapterError(
        f"no adapter for {kind!r} is installed; there are {', '.join(adapter_kinds())}"
    )
