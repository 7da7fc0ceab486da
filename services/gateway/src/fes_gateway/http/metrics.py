"""Metrics in Prometheus's text form."""

import asyncio
from collections.abc import Iterable, Iterator

from eventservices.slices import shared_slice
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from serving.turns import TurnMeter

from fes_gateway.host import GatewayHost

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class TurnCollector(Collector):
    """Collects the longest turns of a process's event loop.

    Args:
        meter: Measures it.
    """

    def __init__(self, meter: TurnMeter) -> None:
        self._meter = meter

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        for name, text, value in (
            ("max", "Longest turn of the event loop since the start", self._meter.longest_s),
            ("recent_max", "Longest recent turn of the event loop", self._meter.recent_s),
            ("cpu_max", "Most processor time around a long turn", self._meter.longest_cpu_s),
        ):
            yield GaugeMetricFamily(f"fes_loop_turn_seconds_{name}", f"{text}, seconds.", value)


class HostCollector(Collector):
    """Collects the metrics of gateways.

    Args:
        hosts: The gateways.
    """

    def __init__(self, hosts: list[GatewayHost]) -> None:
        self._hosts = hosts

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        yield self._decisions()
        yield self._adapters()
        yield self._links()
        yield from self._states()

    def _decisions(self) -> Metric:
        family = CounterMetricFamily(
            "fes_gateway_decisions",
            "Decisions of the gateway core.",
            labels=["gateway", "decision", "reason", "type"],
        )
        for host in self._hosts:
            for labels, count in host.counters.items():
                family.add_metric([host.settings.id, *labels], count)
        return family

    def _adapters(self) -> Metric:
        family = CounterMetricFamily(
            "fes_adapter_events",
            "Counters of an adapter, as it last reported them to its gateway.",
            labels=["gateway", "adapter", "what"],
        )
        for host in self._hosts:
            for state in host.adapters.values():
                for name, count in sorted(state.counters.items()):
                    family.add_metric([host.settings.id, state.id, name], count)
        return family

    def _links(self) -> Metric:
        family = CounterMetricFamily(
            "fes_link_messages",
            "Messages to an adapter over its present link.",
            labels=["gateway", "service", "what"],
        )
        for host in self._hosts:
            for service, counters in host.link_counters().items():
                for name, count in counters.items():
                    family.add_metric([host.settings.id, service, name], count)
        return family

    def _states(self) -> Iterator[Metric]:
        ready = GaugeMetricFamily(
            "fes_adapter_ready",
            "Whether its last round trip came back.",
            labels=["gateway", "adapter"],
        )
        rows = GaugeMetricFamily(
            "fes_request_table_rows", "Rows of the request table.", labels=["gateway"]
        )
        sizes = GaugeMetricFamily(
            "fes_gateway_accounted_bytes",
            "Bytes of memory that a table of the gateway accounts for.",
            labels=["gateway", "what"],
        )
        homes = CounterMetricFamily(
            "fes_gateway_homes_replaced",
            "Events whose stamp named a home that is not an event service of the federation.",
            labels=["gateway"],
        )
        members = GaugeMetricFamily(
            "fes_gateway_replicas",
            "Replicas of the gateway that live; 0 where it is alone.",
            labels=["gateway"],
        )
        leads = GaugeMetricFamily(
            "fes_gateway_leads", "Whether this replica leads.", labels=["gateway"]
        )
        for host in self._hosts:
            rows.add_metric([host.settings.id], len(host.core.table))
            for what, size in host.bytes.items():
                sizes.add_metric([host.settings.id, what], size)
            homes.add_metric([host.settings.id], host.core.delivery.homes_replaced)
            if host.replica is not None:
                members.add_metric([host.settings.id], len(host.replica.membership.members))
                leads.add_metric([host.settings.id], float(bool(host.replica.term)))
            for state in host.adapters.values():
                ready.add_metric([host.settings.id, state.id], float(state.ready))
        yield ready
        yield rows
        yield sizes
        yield homes
        yield members
        yield leads


class Collected(Collector):
    """Collected metrics, to be written."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = tuple(families)

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        return iter(self._families)


async def metrics_text(hosts: list[GatewayHost], meter: TurnMeter | None = None) -> bytes:
    """Return the metrics of gateways as text, and those of their process where it is measured.

    They are collected gateway by gateway, with a turn of the loop in between, and written in a
    thread.
    """
    own = shared_slice()
    families: dict[str, Metric] = {}
    for host in hosts:
        await own.turn()
        for family in HostCollector([host]).collect():
            known = families.setdefault(family.name, family)
            if known is not family:
                known.samples.extend(family.samples)
        own.end()
    if meter is not None:
        families.update((family.name, family) for family in TurnCollector(meter).collect())
    registry = CollectorRegistry()
    registry.register(Collected(families.values()))
    return await asyncio.to_thread(generate_latest, registry)
