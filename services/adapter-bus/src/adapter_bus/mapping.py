"""Filters of the federation as those that buses carry: never less, reported where more."""

import collections.abc
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from eventservices.bus import filters
from fes.adapter.busfilter import bus_filters
from fes.adapter.native_form import NativeForm
from fes.adapter.settings import read_settings
from fes.errors import AdapterError
from fes.filter import Filter, Operators, translate
from fes.filter.language.tree import Comparison, Constant, Subject, all_of
from fes.mapping import Mapping
from fes.model import is_reserved

from adapter_bus.codec import name_of
from adapter_bus.settings import Settings

MAX_SUBJECTS: Final = 64
"""Most subjects of one filter."""

_SUBJECTS: Final = Operators(subject=("=",), max_disjuncts=MAX_SUBJECTS)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a filter becomes.

    Attributes:
        by_name: Filters by the name of the event.
        widened: What they let pass beyond, in words.
    """

    by_name: dict[str, filters.Filter]
    widened: tuple[str, ...]


def plan(filter_: Filter, mapping: Mapping) -> Plan:
    """Return the native filters for a filter.

    Raises:
        AdapterError: It does not state which subjects it requests: buses subscribe by name.
    """
    disjuncts = translate(filter_.tree, _SUBJECTS).disjuncts
    if not all(disjuncts):
        raise AdapterError(
            "event buses subscribe by name: the filter must name its subjects "
            f"with subject = '…', at most {MAX_SUBJECTS}"
        )
    by_name: dict[str, filters.Filter] = {}
    widened: dict[str, None] = {}
    for subject in dict.fromkeys(str(terms[0].value) for terms in disjuncts):
        if is_reserved(subject):
            raise AdapterError(f"subject {subject[:60]!r} is reserved")
        tree = all_of((filter_.tree, Comparison(Subject(), "=", Constant(subject))))
        found, told = bus_filters(tree, mapping, subject)
        widened.update(dict.fromkeys(told))
        for name, native in found.items():
            if name is None:
                raise AdapterError(f"subject {subject[:60]!r} comes from no one event of a bus")
            own = name_of(name)
            by_name[own] = either(by_name.get(own), native)
    return Plan(by_name, tuple(widened))


def either(one: filters.Filter | None, other: filters.Filter) -> filters.Filter:
    """Return a filter that accepts what one of two accepts."""
    return other if one is None or one == other else filters.Some((one, other))


def native_form(
    filter_: Filter, mapping: Mapping, given: collections.abc.Mapping[str, Any]
) -> NativeForm:
    """Return what a filter becomes at a bus; see `fes.adapter.native_form`."""
    read_settings("bus", given, Settings)
    found = plan(filter_, mapping)
    lines = [
        f"{name}: {msgspec.json.encode(each).decode()}" for name, each in found.by_name.items()
    ]
    return NativeForm(tuple(lines), found.widened)
