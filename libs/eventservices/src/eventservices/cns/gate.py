"""Whether an event passes an admin and its proxy: their filters, their subscriptions, the operator.

A side is *absent* when it has neither filters nor subscriptions: it neither lets pass nor blocks.
A subscription lets events of its type pass, whatever the filters accept.

Source:
    OMG Notification Service 1.1, section 2.3.2; the absent side as omniNotify documents it.
"""

from collections.abc import Callable

from eventservices.cns.event import Event
from eventservices.cns.event_type import EventType, TypeFilter
from eventservices.cns.filters import FilterAdmin
from eventservices.cns.options import InterFilterGroupOperator

Accepts = Callable[[Event], bool]
"""Returns whether an event passes."""

_NOTHING: frozenset[EventType] = frozenset()


def gate(
    admin: FilterAdmin,
    proxy: FilterAdmin,
    operator: InterFilterGroupOperator,
    admin_types: frozenset[EventType] = _NOTHING,
    proxy_types: frozenset[EventType] = _NOTHING,
) -> Accepts | None:
    """Return what decides now.

    Args:
        admin: The admin, for its filters.
        proxy: The proxy, for its filters.
        operator: With `AND_OP` an event must pass both, with `OR_OP` one of them.
        admin_types: The admin's subscriptions, canonical.
        proxy_types: The proxy's subscriptions, canonical.

    Returns:
        None where every event passes.
    """
    both = operator is InterFilterGroupOperator.AND_OP
    if not admin.has_filters and not proxy.has_filters:
        if not admin_types and not proxy_types:
            return None
        types = TypeFilter(admin_types, proxy_types, both=both)
        return lambda event: types.accepts(event.event_type)
    sides = [
        _side(holder, types)
        for holder, types in ((admin, admin_types), (proxy, proxy_types))
        if holder.has_filters or types
    ]
    if both:
        return lambda event: all(side(event) for side in sides)
    return lambda event: any(side(event) for side in sides)


def _side(holder: FilterAdmin, types: frozenset[EventType]) -> Accepts:
    if not types:
        return holder.passes_filters
    covered = TypeFilter(types, _NOTHING, both=True)
    return lambda event: covered.accepts(event.event_type) or holder.passes_filters(event)
