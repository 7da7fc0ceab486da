"""Programs run one after the other."""

import os
import signal
import sys
from pathlib import Path

import pytest
from scenario_kit.statuses import INTERRUPTED
from scenario_kit.steps import Steps
from serving.output import CLOSED


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_the_status_of_a_program_is_returned() -> None:
    with Steps() as steps:
        assert steps.run(python("raise SystemExit(7)")) == 7
        assert not steps.interrupted


def test_a_signal_reaches_the_program_which_ends_as_it_wants() -> None:
    graceful = python(
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))\n"
        "os.kill(os.getppid(), signal.SIGINT)\n"
        "time.sleep(60)\n"
    )
    with Steps() as steps:
        assert steps.run(graceful) == 130
        assert steps.interrupted


def test_nothing_is_begun_after_a_signal(tmp_path: Path) -> None:
    trace = tmp_path / "begun"
    with Steps() as steps:
        os.kill(os.getpid(), signal.SIGTERM)
        assert steps.run(python(f"open({str(trace)!r}, 'w')")) == INTERRUPTED
    assert not trace.exists()


def test_signals_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Steps():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_a_program_is_looked_at_while_it_runs(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    waiting = python(
        "import pathlib, sys, time\n"
        f"path = pathlib.Path({str(seen)!r})\n"
        "while not path.exists(): time.sleep(0.01)\n"
    )
    with Steps() as steps:
        assert steps.run(waiting, seen.touch) == 0


def test_a_program_is_ended_once_nobody_reads_what_it_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as closed, Steps() as steps:
        monkeypatch.setattr(sys, "stdout", closed)
        assert steps.run(python("import time; time.sleep(600)")) == CLOSED
        assert not steps.interrupted


def test_under_nohup_neither_a_hangup_nor_a_closed_output_ends_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with os.fdopen(theirs, "w") as closed, Steps() as steps:
            monkeypatch.setattr(sys, "stdout", closed)
            os.kill(os.getpid(), signal.SIGHUP)
            assert steps.run(python("import time; time.sleep(1.2); raise SystemExit(7)")) == 7
            assert not steps.interrupted
    finally:
        signal.signal(signal.SIGHUP, before)
