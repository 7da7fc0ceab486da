"""How the command begins the service."""

import argparse
import gc
from pathlib import Path

import pytest
from event_domains import __main__ as program
from serving import collector


def test_the_collector_of_garbage_makes_short_pauses_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thresholds: list[tuple[int, int, int]] = []

    async def serve(_: argparse.Namespace) -> None:
        thresholds.append(gc.get_threshold())

    monkeypatch.setattr(program, "serve", serve)
    monkeypatch.setattr("serving.diagnostics.set_up", lambda: None)
    before = gc.get_threshold()
    try:
        assert program._main(["--journal", str(tmp_path / "journal.sqlite")]) == 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
    assert thresholds == [(collector.YOUNG, collector.MIDDLE, collector.OLD)]
