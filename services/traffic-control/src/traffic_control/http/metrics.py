"""Metrics in Prometheus's text form."""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from traffic_control.office import Office

PREFIX: Final = "fes_traffic_control"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class OfficeCollector(Collector):
    """Collects the counters of an office.

    Args:
        office: The office.
    """

    def __init__(self, office: Office) -> None:
        self._office = office

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        office = self._office
        yield _counter("offenders", "Offenders that were logged.", office.offenders.count)
        unreadable = office.offenders.unreadable
        yield _counter("unreadable", "Speed events without vehicle or speed.", unreadable)
        unstamped = office.offenders.unstamped
        yield _counter("unstamped", "Offenders whose event had no stamp.", unstamped)
        yield from self._families()
        ready = float(not office.faults)
        yield GaugeMetricFamily(f"{PREFIX}_ready", "Whether it is ready.", value=ready)

    def _families(self) -> Iterator[Metric]:
        office = self._office
        lost = CounterMetricFamily(f"{PREFIX}_lines_lost", "Lines not written.", labels=["file"])
        for log in office.logs:
            lost.add_metric([log.name], log.lost)
        commands = CounterMetricFamily(
            f"{PREFIX}_commands", "Commands by outcome.", labels=["action", "outcome"]
        )
        for labels, count in sorted(office.commander.counters.items()):
            commands.add_metric(labels, count)
        native = CounterMetricFamily(
            f"{PREFIX}_siena", "What the native client counted.", labels=["what"]
        )
        for what, count in office.siena.counters.items():
            native.add_metric([what], count)
        limits = GaugeMetricFamily(f"{PREFIX}_limit_kmh", "The limits.", labels=["monitor"])
        for post in office.limits.posts:
            limits.add_metric([post.monitor.name], post.limit)
        yield from (lost, commands, native, limits)


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(f"{PREFIX}_{name}", about, value=value)


def metrics_text(office: Office) -> bytes:
    """Return the metrics of an office as text."""
    registry = CollectorRegistry()
    registry.register(OfficeCollector(office))
    return generate_latest(registry)
