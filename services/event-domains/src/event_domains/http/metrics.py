"""Metrics in Prometheus's text form."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from eventservices.cns.domains import EventLogDomainFactory
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PREFIX: Final = "fes_event_domain"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class DomainsCollector(Collector):
    """Collects what the domains of a factory count; one sample a domain, not a connection.

    Args:
        factory: The factory.
    """

    def __init__(self, factory: EventLogDomainFactory) -> None:
        self._factory = factory

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
        writes = CounterMetricFamily(
            f"{PREFIX}_writes_refused",
            "Writes of the journal refused as too many waited.",
            value=self._factory.journal.refused,
        )
        for domain_id in self._factory.get_all_domains():
            domain = self._factory.get_event_domain(domain_id)
            movers = tuple(domain.running.movers.values())
            name = [str(domain_id)]
            channels.add_metric(name, len(domain.state.members))
            connections.add_metric(name, len(domain.state.connections))
            refused.add_metric(name, domain.changes.refused)
            running.add_metric(name, sum(mover.runs for mover in movers))
            total: Counter[str] = Counter()
            for mover in movers:
                total.update(mover.counts)
            for outcome, count in sorted(total.items()):
                events.add_metric([*name, outcome], count)
        yield from (channels, connections, running, events, refused, writes)


def metrics_text(factory: EventLogDomainFactory) -> bytes:
    """Return the metrics of a factory's domains."""
    registry = CollectorRegistry()
    registry.register(DomainsCollector(factory))
    return generate_latest(registry)
