"""How a bus is bound to its broker and its services."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from serving.clocks import steady_us, wall_us

from eventservices.bus.binding.pool import PoolSettings
from eventservices.bus.binding.ports import Naming, Policy
from eventservices.bus.binding.store import BusStore, MemoryStore
from eventservices.bus.core import BusSettings
from eventservices.bus.filters import RunCode, no_code

DELIVERIES: Final = BusSettings().most_sinks * BusSettings().in_flight
"""Most deliveries that wait: as many as may be in transit to all sinks; none is refused."""


@dataclass(frozen=True, slots=True)
class BusOptions:
    """What a bus is made with.

    Attributes:
        settings: Of its core.
        store: Of what outlives it.
        naming: The naming service; None where there is none.
        policy: The policy service; queried where the settings state so.
        run_code: Runs plug-ins.
        secret: Of the building, which signs tokens of users; without it clients are believed.
        delivering, sending, querying: Pools that deliver to sinks, send to buses, query services.
        monitor_s: Between two looks of the monitor.
        renew_s: Between two renewals of names at the naming service.
        tick_s: Between two looks at what is due.
        most_clients: Most clients.
        most_unstored: Most steps that wait for the store; beyond, what comes in is refused.
        clock_us: Microseconds since 1970 UTC; may be set.
        steady_us: Microseconds by a clock that is never set.
    """

    settings: BusSettings = field(default_factory=BusSettings)
    store: BusStore = field(default_factory=MemoryStore)
    naming: Naming | None = None
    policy: Policy | None = None
    run_code: RunCode = no_code
    secret: bytes | None = None
    delivering: PoolSettings = field(default_factory=lambda: PoolSettings(limit=DELIVERIES))
    sending: PoolSettings = field(default_factory=PoolSettings)
    querying: PoolSettings = field(default_factory=lambda: PoolSettings(least=2, most=16))
    monitor_s: float = 10.0
    renew_s: float = 20.0
    tick_s: float = 0.025
    most_clients: int = 10_000
    most_unstored: int = 10_000
    clock_us: Callable[[], int] = wall_us
    steady_us: Callable[[], int] = steady_us
