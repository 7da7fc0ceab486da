"""Contexts of adapters for tests."""

from typing import Any

from fes.adapter.base import AnyAdapter
from fes.adapter.context import AdapterContext
from fes.adapter.pool import ConnectionPool
from fes.federation.clock import FederationClock
from fes.mapping import Mapping


def adapter_context(
    name: str,
    service: str,
    kind: type[AnyAdapter],
    pool: ConnectionPool,
    *,
    settings: dict[str, Any] | None = None,
    brokers: tuple[str, ...] = (),
    medium: str = "",
    base: str = ".",
) -> AdapterContext:
    """Return the context of an adapter of its own, which receives control events.

    Args:
        name: Of its gateway.
        service: Event service identifier.
        kind: The adapter's class.
        pool: Connections that it may share with others of the test.
        settings: Of the event service.
        brokers: Addresses.
        medium: Name of the shared wireless medium; "" where it is none.
        base: Folder that relative paths in settings start from.
    """
    return AdapterContext(
        id=f"{name}.{service}",
        service=service,
        system="test",
        settings=settings or {},
        brokers=brokers,
        medium=medium,
        mapping=Mapping((), kind.name_rule, automatic=kind.automatic),
        hears_control=True,
        pool=pool,
        clock=FederationClock(),
        base=base,
    )
