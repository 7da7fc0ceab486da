"""What a filter becomes at an event service, for people: `fes filter explain` shows it.

The module `mapping` of an adapter's package has a function `native_form` of the type `Explain`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fes.adapter.registry import adapter_class
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping


@dataclass(frozen=True, slots=True)
class NativeForm:
    """A filter in an event service's own words.

    Attributes:
        lines: Native filters, one of which must hold; none at all where the filter accepts nothing.
        widened: What they let pass beyond the filter, and why; empty where that is nothing.
    """

    lines: tuple[str, ...]
    widened: tuple[str, ...]


Explain = Callable[[Filter, EventMapping, Mapping[str, Any]], NativeForm]
"""Takes a filter, the mapping, and the settings of the event service.

It raises an AdapterError where the service cannot have the filter at all.
"""


def explainer(kind: str) -> Explain | None:
    """Return what tells the native form of filters at a kind of event service.

    Returns:
        None where its adapter applies no filter natively.

    Raises:
        AdapterError: No adapter is installed for the kind.
    """
    package = adapter_class(kind).__module__.rpartition(".")[0]
    name = f"{package}.mapping"
    if find_spec(name) is None:
        return None
    found: Explain | None = getattr(import_module(name), "native_form", None)
    return found
