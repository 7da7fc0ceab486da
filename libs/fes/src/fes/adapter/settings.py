"""Settings of event services and adapters: one reader, one error.

What the file specifies for an event service is checked with the same Struct before anything starts
(`fes.federation.checks.kinds`); this reader is for the settings of an adapter, wherever they come
from.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from fes.errors import FederationError

_PLACE: Final = re.compile(r" - at `\$\.?([^`]*)`$")

SettingsT = TypeVar("SettingsT", bound=msgspec.Struct)


class NoSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of an adapter without settings."""


def read_settings(service: str, given: Mapping[str, Any], kind: type[SettingsT]) -> SettingsT:
    """Check settings, and return them.

    Args:
        service: Event service identifier.
        given: The event service's settings and the adapter's, merged.
        kind: Struct of the settings.

    Raises:
        FederationError: Raised when a setting is unknown or not valid; it names the key. `located`
            adds file and line.
    """
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        reason = str(error)[: place.start()] if place else str(error)
        raise setting_fault(service, "settings", reason, place[1] if place else "") from error


def setting_fault(service: str, part: str, reason: str, key: str = "") -> FederationError:
    """Return an error in what the file specifies for an event service.

    Args:
        service: Event service identifier.
        part: Part of its description, e.g. `settings`.
        reason: What was found and what was expected.
        key: Path of the key within the part; "" for the whole part.
    """
    return FederationError(
        reason, key=".".join(filter(None, ("event_services", service, part, key)))
    )
