"""The command refuses what it cannot play, before it makes a run."""

import sys
from pathlib import Path

import pytest
from building_walk import __main__ as program


def test_a_service_that_cannot_be_killed_is_named_with_those_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    words = ["fes-building-walk", "demo", "--runs", str(runs), "--restarts", "policy", "nobody"]
    monkeypatch.setattr(sys, "argv", words)
    assert program.main() == 2
    assert "no 'nobody'; there are naming, policy, bus-net1" in capsys.readouterr().err
    assert not runs.exists()
