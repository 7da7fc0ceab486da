"""Mapping filters: they set another priority or lifetime of events in one consumer's queue."""

import logging
from typing import Protocol

from eventservices.cns.event import Event
from eventservices.cns.qos.properties import QoS
from eventservices.cns.qos.terms import UNMAPPED, Mapped, in_range
from eventservices.cns.value import Value

log = logging.getLogger(__name__)


class EventMapping(Protocol):
    """Returns the value of an event."""

    def match(self, event: Event, /) -> tuple[bool, Value]:
        """Return whether a constraint matches, and its result; else the default value."""


class Mappings:
    """The mapping filters that count for one proxy supplier.

    Args:
        default_first: Whether a default value has precedence over the event's own header.

    Attributes:
        failed: Results that could not be used: no priority or no lifetime, or the filter raised.
    """

    def __init__(self, *, default_first: bool) -> None:
        self.failed = 0
        self._default_first = default_first

    def apply(
        self, event: Event, priority: EventMapping | None, lifetime: EventMapping | None
    ) -> Mapped:
        """Return what the filters specify for an event.

        Args:
            event: The event.
            priority: The priority filter of the proxy, else of its admin.
            lifetime: The lifetime filter, the same.
        """
        if priority is None and lifetime is None:
            return UNMAPPED
        forced_priority, priority_default = self._result(event, priority, QoS.PRIORITY)
        forced_timeout, timeout_default = self._result(event, lifetime, QoS.TIMEOUT)
        return Mapped(forced_priority, forced_timeout, priority_default, timeout_default)

    def _result(
        self, event: Event, mapping: EventMapping | None, name: QoS
    ) -> tuple[int | None, int | None]:
        if mapping is None:
            return None, None
        try:
            matched, result = mapping.match(event)
        except Exception:  # a client's filter may raise anything
            self.failed += 1
            log.exception("mapping_filter_failed")
            return None, None
        value = in_range(name, result)
        if value is None:
            self.failed += 1
        return (value, None) if matched or self._default_first else (None, value)
