"""The kinds of event services, as the installed adapters describe them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec

from fes.federation.capabilities import Capabilities, Notes
from fes.federation.model import Federation, settings_of

GROUP = "fes.adapters"
"""Group of entry points: adapter class by kind of event service."""


class AdapterClass(Protocol):
    """The part of an adapter class that checks of files use; see `fes.adapter.base.Adapter`."""

    settings_type: ClassVar[type[msgspec.Struct]]
    stamp_setting: ClassVar[str]
    one_may_stamp: ClassVar[bool]

    @classmethod
    def capabilities_for(cls, settings: Any) -> Capabilities:
        """Return what the event service can do, with settings of `settings_type`."""

    @classmethod
    def payload_notes(cls, settings: Any, base: Path) -> Notes:
        """Return what is wrong with the files of payloads, and what payloads lose."""


def _no_notes(settings: object, base: Path) -> Notes:
    del settings, base
    return Notes()


def _usual(settings: object) -> Capabilities:
    del settings
    return Capabilities()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event service.

    Attributes:
        settings: Struct of the settings; None where any settings are accepted.
        capabilities: Returns what it can do with settings that fit the Struct.
        stamp_setting: Name of a setting that is true where all events are stamped; "" where there
            is no such setting.
        one_may_stamp: Whether adapters with that setting leave events without a stamp to the one
            adapter that is without it.
        notes: What is to be reported of payloads, from settings that fit and the file's folder.
        fault: Why the adapter cannot be loaded; empty where it can.
    """

    settings: type[msgspec.Struct] | None = None
    capabilities: Callable[[Any], Capabilities] = _usual
    stamp_setting: str = ""
    one_may_stamp: bool = False
    fault: str = ""
    notes: Callable[[Any, Path], Notes] = _no_notes

    def noted(self, settings: Mapping[str, object], base: Path) -> Notes:
        """Return what is to be reported of payloads; nothing where the settings do not fit."""
        if self.settings is None:
            return Notes()
        try:
            return self.notes(msgspec.convert(dict(settings), self.settings), base)
        except msgspec.ValidationError:  # a finding of its own
            return Notes()

    def can(self, settings: Mapping[str, object]) -> Capabilities:
        """Return what it can do with settings; the usual capabilities where they do not fit."""
        if self.settings is None:
            return self.capabilities(settings)
        try:
            return self.capabilities(msgspec.convert(dict(settings), self.settings))
        except msgspec.ValidationError:  # reported as a finding of its own
            return Capabilities()


class _Installed(Mapping[str, Kind]):
    """Loads an adapter once its kind is looked up: most files have few of the kinds."""

    def __init__(self) -> None:
        self._points = {point.name: point for point in entry_points(group=GROUP)}
        self._loaded: dict[str, Kind] = {}

    def __getitem__(self, name: str) -> Kind:
        """Return a kind."""
        if name not in self._loaded:
            self._loaded[name] = _kind(self._points[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the kinds."""
        return iter(self._points)

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self._points)


def installed_kinds() -> Mapping[str, Kind]:
    """Return the kinds that an adapter is installed for; one is loaded when it is looked up."""
    return _Installed()


def capabilities_of(
    federation: Federation, kinds: Mapping[str, Kind], service: str
) -> tuple[Capabilities, ...]:
    """Return what an event service can do, for each adapter that is attached to it.

    Args:
        federation: Valid in form.
        kinds: The kinds that an adapter is installed for.
        service: Event service identifier.

    Returns:
        One for each adapter; none where the kind is not installed, or cannot be loaded.
    """
    kind = kinds.get(federation.event_services[service].kind)
    if kind is None or kind.fault:
        return ()
    return tuple(
        kind.can(settings_of(federation, gateway, service))
        for gateway, each in federation.gateways.items()
        if service in each.adapters
    )


def _kind(point: EntryPoint) -> Kind:
    try:
        adapter: type[AdapterClass] = point.load()
    except (ImportError, AttributeError) as error:
        return Kind(fault=str(error))
    return Kind(
        adapter.settings_type,
        adapter.capabilities_for,
        adapter.stamp_setting,
        adapter.one_may_stamp,
        notes=adapter.payload_notes,
    )
