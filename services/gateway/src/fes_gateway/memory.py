"""The most memory that a process of gateways may use, from the bounds of all that it keeps.

Bounds in bytes count as they are; bounds in numbers count as the most bytes of each. A process with
less memory than that does not start: it would be killed under load, and again whenever it restores
its journal.
"""

import re
from typing import Final

from fes.adapter.inbound.ordered import MOST_BYTES as UNANSWERED_BYTES
from fes.errors import FederationError
from fes.federation.bounds import MIB
from fes.federation.model import Federation, adapter_id
from fes.gateway import GatewaySettings
from fes.link.lanes import QUEUE_BYTES

from fes_gateway.deciding.decider import COMMITS_BYTES
from fes_gateway.pack import PackSettings

PROCESS_BYTES: Final = 64 * MIB
"""The interpreter and its modules: 60 MiB of resident memory were measured."""

ADAPTER_BYTES: Final = 4 * MIB
"""An adapter in the same process, without messages that wait in it."""

MARK_BYTES: Final = 350
"""A delivery record of a custody row."""

ORIGIN_BYTES: Final = 350
"""An origin with delivery records, beside a bit for each number of its window."""

LANES: Final = 2
"""Lanes of a link, and of the orders that wait in an adapter: events, and everything else."""

_SIZE: Final = re.compile(r"([0-9]{1,15})([kmg]?)b?", re.ASCII)
_UNITS: Final = {"": 1, "k": 1024, "m": MIB, "g": 1024 * MIB}


def size_of(text: str) -> int:
    """Return a size in bytes, written as Docker does: `150m`, `1g`, or bytes.

    Raises:
        ValueError: The text is not a size.
    """
    found = _SIZE.fullmatch(text.lower())
    if found is None:
        raise ValueError(f"{text!r} is not a size")
    return int(found[1]) * _UNITS[found[2]]


def most_of_gateway(settings: GatewaySettings) -> dict[str, int]:
    """Return the most bytes that each table of a gateway accounts for, by name."""
    adapters = len(settings.adapters)
    window = ORIGIN_BYTES + settings.window // 8
    return {
        "requests": settings.requests_bytes,
        "custody": 2 * settings.custody_bytes,  # events that passed event services find more room
        "marks": settings.marks * MARK_BYTES,
        "origins": settings.origins * window * len(settings.services),
        "waiting": settings.waiting_bytes,
        "announced": settings.announced_bytes * adapters,
        "journal": COMMITS_BYTES,
        "links": LANES * QUEUE_BYTES * adapters,
    }


def most_of(federation: Federation, settings: PackSettings) -> int:
    """Return the most bytes that a process uses."""
    total = PROCESS_BYTES
    for name in settings.gateways:
        total += sum(most_of_gateway(GatewaySettings.of(federation, name)).values())
        for service in federation.gateways[name].adapters:
            if adapter_id(name, service) not in settings.remote:
                total += ADAPTER_BYTES + LANES * QUEUE_BYTES + UNANSWERED_BYTES
    return total


def check_memory(federation: Federation, settings: PackSettings, limit_bytes: int) -> None:
    """Check that a process stays within a limit, whatever it receives.

    Args:
        federation: The file, checked.
        settings: What the process hosts.
        limit_bytes: Most bytes that it may use; 0 where there is no limit.

    Raises:
        FederationError: It may use more.
    """
    most = most_of(federation, settings)
    if limit_bytes and most > limit_bytes:
        reason = (
            f"{', '.join(settings.gateways)} may need {most // MIB} MiB of memory,"
            f" more than the {limit_bytes // MIB} MiB that there are"
        )
        raise FederationError(reason, key="limits")
