"""Filters of the federation as Kafka subscriptions, which accept at least the same events."""

from collections.abc import Mapping
from typing import Any

from fes.adapter.native_form import NativeForm
from fes.adapter.settings import read_settings
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping

from adapter_kafka.settings import Settings


def native_form(filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]) -> NativeForm:
    """Return the form of a filter at Kafka; see `fes.adapter.native_form`."""
    return read_settings("kafka", given, Settings).native_form(filter_, mapping)
