"""Filters of the federation as MQTT subscriptions: never less, told where more."""

import collections.abc
from typing import Any

from fes.adapter.native_form import NativeForm
from fes.adapter.plain import make_routes
from fes.filter import Filter
from fes.mapping import Mapping
from fes.mapping.topics.sources import topics_of

from adapter_mqtt import settings


def native_form(
    filter_: Filter, mapping: Mapping, given: collections.abc.Mapping[str, Any]
) -> NativeForm:
    """Return what a filter becomes at MQTT; see `fes.adapter.native_form`."""
    own = settings.read(given)
    found = topics_of(filter_.tree, mapping, make_routes(own.texts(), own.names()))
    return NativeForm(found.patterns, found.widened)
