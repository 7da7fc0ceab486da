"""Adapter contexts for tests."""

import time
from typing import Any

from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext
from fes.adapter.pool import ConnectionPool
from fes.mapping import Mapping


def adapter_context(
    name: str,
    service: str,
    kind: type[Adapter],
    pool: ConnectionPool,
    *,
    settings: dict[str, Any] | None = None,
    brokers: tuple[str, ...] = (),
    medium: str = "",
    base: str = ".",
) -> AdapterContext:
    """Return a context for an adapter of its own, hearing control events."""
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
        clock_us=lambda: time.time_ns() // 1000,
        base=base,
    )
