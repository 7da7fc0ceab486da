"""Makes adapters as the federation file specifies them."""

from pathlib import Path

from msgspec import UNSET

from fes.adapter.base import AnyAdapter
from fes.adapter.context import AdapterContext
from fes.adapter.pool import ConnectionPool
from fes.adapter.registry import adapter_class
from fes.federation.address import address
from fes.federation.clock import TimeTeller
from fes.federation.model import Federation, adapter_id, settings_of
from fes.mapping import Mapping, load_rules
from fes.model.limits import Limits


def assemble(
    federation: Federation,
    gateway: str,
    service: str,
    *,
    pool: ConnectionPool,
    clock: TimeTeller,
    base: Path,
) -> AnyAdapter:
    """Return the adapter between a gateway and an event service.

    Args:
        federation: The file, checked and resolved.
        gateway: Gateway identifier.
        service: Event service identifier.
        pool: Connections that the adapters of this process share.
        clock: The federation clock.
        base: Folder of the file.

    Raises:
        AdapterError: No adapter is installed for the kind.
        FederationError: A mapping rule or setting is not valid, or a broker has no address.
    """
    described = federation.event_services[service]
    settings = federation.gateways[gateway].adapters[service]
    chosen = adapter_class(described.kind)
    plain = [rule for name in settings.mappings for rule in federation.mappings[name]]
    limits = federation.limits
    context = AdapterContext(
        id=adapter_id(gateway, service),
        service=service,
        system=federation.system,
        settings=settings_of(federation, gateway, service),
        brokers=tuple(address(federation, name) for name in described.brokers),
        medium="" if described.medium is UNSET else described.medium,
        mapping=Mapping(load_rules(plain, base), chosen.name_rule, automatic=chosen.automatic),
        hears_control=bool(settings.control.accepted),
        pool=pool,
        clock=clock,
        speed=federation.clock.speed,
        limits=Limits(limits.event_bytes, limits.fields, limits.name_length),
        base=str(base),
        observe=settings.observe,
    )
    return chosen(context)
