"""What the benchmark of scopes measures and verifies, at a size that is no burden."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks"
SIZES = {"MARKETS": 6, "LEVELS": 100, "COMPONENTS": 40, "EVENTS": 150, "CHANGES": 60}


def test_the_benchmark_delivers_what_the_definition_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    bench = pytest.importorskip("bench_scopes")
    for name, size in SIZES.items():
        monkeypatch.setattr(bench, name, size)
    rows = bench.measure()
    assert all(0 < row.us <= row.most_us for row in rows)
    assert len({row.what for row in rows}) == len(rows) >= 12
