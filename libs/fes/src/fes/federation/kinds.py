"""What is known of the kinds of event services, from the adapters that are installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import msgspec

GROUP = "fes.adapters"
"""Entry points: kind of event service to adapter class."""

PERSISTENT = "persistent"
"""Setting that, where it is true, has a kind keep events that does not always."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event service.

    Attributes:
        settings: Struct that the settings must fit; None where the adapter checks them itself.
        stamps: Whether its events carry a stamp of their own.
        stamp_setting: Name of a setting that, where it is true, says that they all do; "" where
            there is none.
        one_may_stamp: Whether an adapter with that setting leaves what has no stamp to others, so
            that one adapter may be without it.
        fault: Why the adapter cannot be loaded; empty where it can.
        observes: What of that which native clients declare its adapter sees.
        honours: Standard attributes that it acts on itself.
        persistent: Whether it keeps events, whatever its settings.
        keeps_attributes: Whether attributes reach its native clients.
        suppresses: Whether its native clients suppress a repeated identity.
        redelivers_s: After how long, at the latest, it delivers again what its adapter did not
            acknowledge; 0 where it does not.
        deduplicates_s: For how long it stores no second event of an identity; 0 where it stores
            any.
    """

    settings: type[msgspec.Struct] | None = None
    stamps: bool = True
    stamp_setting: str = ""
    one_may_stamp: bool = False
    fault: str = ""
    observes: tuple[str, ...] = ()
    honours: tuple[str, ...] = ()
    persistent: bool = False
    keeps_attributes: bool = True
    suppresses: bool = True
    redelivers_s: float = 0.0
    deduplicates_s: float = 0.0

    def persists(self, settings: Mapping[str, object]) -> bool:
        """Tell whether an event service with such settings keeps events."""
        return self.persistent or settings.get(PERSISTENT) is True


def installed_kinds() -> Mapping[str, Kind]:
    """Return the kinds that an adapter is installed for.

    An adapter class tells by its class attributes: `settings_type`, a Struct, `capabilities`,
    `stamp_setting`, `one_may_stamp`, `redelivers_s` and `deduplicates_s`. Each may be missing.
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
    return Kind(
        settings if is_struct else None,
        bool(getattr(capabilities, "stamps", True)),
        str(getattr(adapter, "stamp_setting", "")),
        bool(getattr(adapter, "one_may_stamp", False)),
        observes=tuple(getattr(capabilities, "observes", ())),
        honours=tuple(getattr(capabilities, "honours", ())),
        persistent=bool(getattr(capabilities, "persistent", False)),
        keeps_attributes=bool(getattr(capabilities, "keeps_attributes", True)),
        suppresses=bool(getattr(capabilities, "suppresses", True)),
        redelivers_s=float(getattr(adapter, "redelivers_s", 0.0)),
        deduplicates_s=float(getattr(adapter, "deduplicates_s", 0.0)),
    )
