"""What is known of the kinds of event services, from the adapters that are installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import msgspec

GROUP = "fes.adapters"
"""Entry points: kind of event service to adapter class."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event service.

    Attributes:
        settings: Struct that the settings must fit; None where the adapter checks them itself.
        stamps: Whether its events carry a stamp of their own.
        stamp_setting: Name of a setting that, where it is true, says that they all do; "" where
            there is none.
        fault: Why the adapter cannot be loaded; empty where it can.
        observes: What of that which native clients declare its adapter sees.
    """

    settings: type[msgspec.Struct] | None = None
    stamps: bool = True
    stamp_setting: str = ""
    fault: str = ""
    observes: tuple[str, ...] = ()


def installed_kinds() -> Mapping[str, Kind]:
    """Return the kinds that an adapter is installed for.

    An adapter class tells by its class attributes: `settings_type`, a Struct,
    `capabilities.stamps` and `capabilities.observes`, and `stamp_setting`. Each may be missing.
    """
    return {point.name: _kind(point) for point in entry_points(group=GROUP)}


def _kind(point: EntryPoint) -> Kind:
    try:
        adapter = point.load()
    except (ImportError, AttributeError) as error:
        return Kind(fault=str(error))
    settings = getattr(adapter, "settings_type", None)
    is_struct = isinstance(settings, type) and issubclass(settings, msgspec.Struct)
    capabilities = getattr(adapter, "capabilities", None)
    stamps = getattr(capabilities, "stamps", True)
    observes = getattr(capabilities, "observes", ())
    setting = str(getattr(adapter, "stamp_setting", ""))
    struct = settings if is_struct else None
    return Kind(struct, stamps is not False, setting, observes=tuple(observes))
