"""Metrics in Prometheus's text form."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from eventservices.cns.domains import EventDomain, EventLogDomainFactory
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PREFIX: Final = "fes_event_domain"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class DomainsCollector(Collector):
    """Collects what domains count; one sample a domain, not a connection.

    Args:
        domains: The domains.
        writes_refused: Writes that their journal refused.
    """

    def __init__(self, domains: Sequence[EventDomain], writes_refused: int) -> None:
        self._domains = domains
        self._writes_refused = writes_refused

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        labels = ["domain"]
        channels = GaugeMetricFamily(f"{PREFIX}_channels", "Channels.", labels=labels)
        connections = GaugeMetricFamily(f"{PREFIX}_connections", "Connections.", labels=labels)
        running = GaugeMetricFamily(f"{PREFIX}_running", "Connections that run.", labels=labels)
        events = CounterMetricFamily(
            f"{PREFIX}_events", "Events by outcome.", labels=["domain", "outcome"]
        )
        refused = CounterMetricFamily(
            f"{PREFIX}_changes_refused", "Changes refused as too many waited.", labels=labels
        )
        left = CounterMetricFamily(
            f"{PREFIX}_subscriptions_left",
            "Subscriptions left to a gateway that was away, as too many were to be ended.",
            labels=labels,
        )
        writes = CounterMetricFamily(
            f"{PREFIX}_writes_refused",
            "Writes of the journal refused as too many waited.",
            value=self._writes_refused,
        )
        for domain in self._domains:
            movers = tuple(domain.running.movers.values())
            name = [str(domain.id)]
            channels.add_metric(name, len(domain.state.members))
            connections.add_metric(name, len(domain.state.connections))
            refused.add_metric(name, domain.changes.refused)
            left.add_metric(name, domain.running.gateways.left)
            running.add_metric(name, sum(mover.runs for mover in movers))
            total: Counter[str] = Counter()
            for mover in movers:
                total.update(mover.counts)
            for outcome, count in sorted(total.items()):
                events.add_metric([*name, outcome], count)
        yield from (channels, connections, running, events, refused, left, writes)


async def metrics_text(factory: EventLogDomainFactory) -> bytes:
    """Return the metrics of a factory's domains; they are collected beside the event loop."""
    domains = tuple(map(factory.get_event_domain, factory.get_all_domains()))
    registry = CollectorRegistry(auto_describe=False)
    collector = DomainsCollector(domains, factory.journal.refused)

    def collect() -> bytes:
        registry.register(collector)
        return generate_latest(registry)

    return await asyncio.to_thread(collect)
