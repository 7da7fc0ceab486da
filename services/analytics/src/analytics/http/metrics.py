"""Metrics in Prometheus's text form."""

import time
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from analytics.live.board import Board, Shown
from analytics.live.interim_verdict import PASS, InterimVerdict

PREFIX: Final = "fes_analytics"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class BoardCollector(Collector):
    """Collects what is on a board.

    Args:
        board: The board.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        shown = self._board.shown
        yield from _of_batches(shown)
        if shown.interim is not None:
            yield from _of_reading(shown.interim)
            yield from _of_verdict(shown.interim)


def _of_batches(shown: Shown) -> Iterator[Metric]:
    seconds = SummaryMetricFamily(f"{PREFIX}_batch_seconds", "Duration of batches.")
    seconds.add_metric([], count_value=shown.batches, sum_value=shown.busy_s)
    yield seconds
    yield _counter("batches", "Batches since the start.", shown.batches)
    yield _gauge("last_batch_seconds", "Duration of the last batch.", shown.batch_s)
    yield _counter("begun_anew", "Runs that replaced another.", shown.anew)
    yield _gauge("ready", "Whether it judges.", float(not shown.waits_for))


def _of_reading(interim: InterimVerdict) -> Iterator[Metric]:
    progress = interim.progress
    lag_s = 0.0 if progress.ended else time.time() - progress.judged_until_us / 1e6
    yield _gauge("files", "Files of logs that were seen.", progress.files)
    yield _counter("lines", "Lines read.", progress.lines)
    yield _counter("unreadable_lines", "Broken lines.", progress.unreadable)
    yield _counter("late_lines", "Lines about events kept no more.", progress.too_late)
    yield _counter("control_lines_dropped", "Control lines that were too many.", progress.dropped)
    yield _gauge("waiting_bytes", "What could have been read and was not.", progress.bytes_waiting)
    yield _gauge("waiting_events", "Events not judged yet.", progress.events_waiting)
    yield _gauge("lag_seconds", "Age of the youngest event that is judged.", max(0.0, lag_s))


def _of_verdict(interim: InterimVerdict) -> Iterator[Metric]:
    yield _gauge("passed", "Whether the verdict is pass.", float(interim.word == PASS))
    if interim.verdict is None:
        return
    reports = GaugeMetricFamily(f"{PREFIX}_reports", "Events by outcome.", labels=["outcome"])
    for name in ("expected", "received", "missing", "unexpected", "duplicate", "outage"):
        reports.add_metric([name], getattr(interim.verdict.reports, name))
    yield reports
    offending = GaugeMetricFamily(f"{PREFIX}_offending", "Findings.", labels=["promise"])
    for promise in interim.verdict.promises:
        offending.add_metric([promise.name], promise.offending)
    yield offending


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(f"{PREFIX}_{name}", about, value=value)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", about, value=value)


def metrics_text(board: Board) -> bytes:
    """Return the metrics of a board as text."""
    registry = CollectorRegistry()
    registry.register(BoardCollector(board))
    return generate_latest(registry)
