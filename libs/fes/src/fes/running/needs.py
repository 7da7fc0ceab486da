"""What an application needs to start: other applications, and adapters that are ready."""

from collections.abc import Collection
from dataclasses import dataclass

from fes.federation.model import Federation, adapter_id


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts for which an application waits.

    Attributes:
        applications: Applications that must be ready before.
        parts: Adapters, and gateways with all their adapters, that must be ready before.
        certain: Whether the file specifies them. Otherwise the application waits for all parts, and
            starts without those that do not get ready in time.
    """

    applications: tuple[str, ...]
    parts: frozenset[str]
    certain: bool


def needs_of(federation: Federation, name: str) -> Needs:
    """Return what an application needs.

    `after` may name gateways: then the application needs these. Else it needs the adapters at the
    event services whose brokers its command names as `{url:…}`; where it names none, the needs are
    unknown, and it waits for all parts.

    Args:
        federation: The file, with commands not yet resolved.
        name: The application.
    """
    application = federation.applications[name]
    before = tuple(each for each in application.after if each in federation.applications)
    named = [each for each in application.after if each not in federation.applications]
    if named:
        return Needs(before, frozenset(_of_gateways(federation, named)), certain=True)
    brokers = {
        broker
        for broker in federation.brokers
        if any("{url:" + broker + "}" in word for word in application.command)
    }
    services = {
        service
        for service, described in federation.event_services.items()
        if brokers.intersection(described.brokers)
    }
    if services:
        return Needs(before, frozenset(_of_services(federation, services)), certain=True)
    return Needs(before, frozenset(_of_gateways(federation, federation.gateways)), certain=False)


def works(federation: Federation, faults: Collection[str]) -> bool:
    """Return whether anything works: at least one gateway with two adapters that are ready.

    Args:
        federation: The file.
        faults: Parts that are not ready: adapters, and gateways as a whole.
    """
    return any(
        name not in faults
        and sum(adapter_id(name, each) not in faults for each in gateway.adapters)
        >= min(2, len(gateway.adapters))
        for name, gateway in federation.gateways.items()
    )


def _of_gateways(federation: Federation, gateways: Collection[str]) -> set[str]:
    return {
        part
        for name in gateways
        for part in (
            name,
            *(adapter_id(name, service) for service in federation.gateways[name].adapters),
        )
    }


def _of_services(federation: Federation, services: Collection[str]) -> set[str]:
    return {
        part
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
        if service in services
        for part in (name, adapter_id(name, service))
    }
