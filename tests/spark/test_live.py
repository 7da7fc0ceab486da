"""A run is judged while it goes on, and in the end as if it had been judged at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from analytics.inputs.federation import load_federation
from analytics.inputs.files import LocalFiles
from analytics.inputs.folder import RunFolder, licences
from analytics.live.board import Board
from analytics.live.interim_verdict import InterimVerdict
from analytics.live.judge import Run, Terms
from analytics.live.reading.stream import Stream
from analytics.live.watch import Pace, Places, Watch
from analytics.verdict import BROKEN, Verdict
from pyspark.sql import SparkSession
from support.judge.growing import Growing
from support.judge.runs import READY_US, Line, read_lines
from support.judge.wrongs import edit

from .conftest import Judge

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

SETTLE_US = 20_000_000
END_US = READY_US + 300_000_000

Step = Callable[[int], InterimVerdict]


class Service:
    """A service on a run folder, which may be started anew.

    Args:
        spark: The session.
        run: The run folder.
        work: Where it keeps what it remembers.
        keep_events: So many events it keeps.
    """

    def __init__(
        self, spark: SparkSession, run: Path, work: Path, keep_events: int = 10_000
    ) -> None:
        self.board = Board()
        self._run = run
        places = Places(LocalFiles(run), LocalFiles(work), work)
        terms = Terms(SETTLE_US, keep_events)
        self._watch = Watch(spark, places, Pace(1.0, 30.0), terms, self.board)

    @contextmanager
    def started(self) -> Iterator[Step]:
        """Run it; a step takes the wall clock and returns the interim verdict."""
        folder = RunFolder(self._run)
        federation = load_federation(folder.federation)
        with self._watch.open(Run(folder, federation, licences(folder.trace))) as stream:
            yield lambda now_us: self._step(stream, now_us)

    def _step(self, stream: Stream, now_us: int) -> InterimVerdict:
        stream.step(now_us)
        interim = self.board.shown.interim
        assert interim is not None
        return interim


def _broken(interim: InterimVerdict) -> dict[str, list[str]]:
    """Return the ids and reasons that are named under each broken promise."""
    assert interim.verdict is not None
    return {
        promise.name: [f"{one.id} {one.reason}" for one in promise.examples]
        for promise in interim.verdict.promises
        if promise.status == BROKEN
    }


def _uncommit(work: Path, batch: str) -> None:
    """Have Spark know nothing of a batch that it had done."""
    for name in (batch, f".{batch}.crc"):
        (work / "spark" / "commits" / name).unlink()


def _verdict(interim: InterimVerdict) -> Verdict:
    assert interim.verdict is not None
    return interim.verdict


def test_a_growing_run_over_crashes_is_judged_in_the_end_as_if_at_once(
    spark: SparkSession, judged: Judge, good_run: Path, tmp_path: Path
) -> None:
    run, work = Growing(good_run, tmp_path / "run"), tmp_path / "work"
    service = Service(spark, run.path, work, keep_events=180)
    half_us = READY_US + 30_000_000

    run.grow(half_us)
    with service.started() as step:
        young = step(half_us)
    (work / "state" / "00000001.json").unlink()
    _uncommit(work, "0")
    run.grow(half_us + 5_000_000)
    with service.started() as step:
        crashed_before_it_was_kept = step(half_us + SETTLE_US + 1)
    _uncommit(work, "1")
    run.grow()
    with service.started() as step:
        crashed_after_it_was_kept = step(END_US)
        last = step(END_US + 31_000_000)
        resting = step(END_US + 40_000_000)

    assert _broken(young) == {}
    assert young.progress.events_waiting > 0
    assert not young.progress.ended
    assert _broken(crashed_before_it_was_kept) == {}
    assert crashed_before_it_was_kept.progress.batch == 2
    assert 0 < crashed_before_it_was_kept.progress.events_waiting < young.progress.events_waiting
    assert _verdict(crashed_before_it_was_kept).reports.received > 30
    assert crashed_after_it_was_kept.progress.batch == 3
    assert last.progress.ended
    assert last.progress.lines == sum(len(read_lines(f)) for f in good_run.rglob("*.jsonl"))
    assert _verdict(last).as_json() == judged(good_run).verdict.as_json()
    assert resting is last, "a run that rests costs nothing"
    assert not list(work.glob("rows/batch=1")), "what was given up is gone"


def test_what_is_wrong_with_a_run_shows_while_it_goes_on_and_equals_the_verdict(
    spark: SparkSession, judged: Judge, copied: Path, tmp_path: Path
) -> None:
    deliveries = read_lines(copied / "offenders.jsonl")
    early, doubled = deliveries[0], deliveries[1]

    def spoil(lines: list[Line]) -> None:
        del lines[0]
        lines.append(dict(doubled))

    edit(copied / "offenders.jsonl", spoil)
    run = Growing(copied, tmp_path / "growing")
    service = Service(spark, run.path, tmp_path / "work")
    broken = run.path / "logs" / "eventlog-city.1.jsonl"

    run.grow(READY_US + 30_000_000)
    with broken.open("ab") as file:
        file.write(b'{"v":1,"wall_us"\n')
    number = broken.read_bytes().count(b"\n")
    with service.started() as step:
        step(READY_US + 30_000_000)
        live = step(READY_US + 30_000_000 + SETTLE_US)
        run.grow()
        step(END_US)
        last = step(END_US + 31_000_000)

    assert not live.progress.ended
    assert any(early["id"] in told for told in _broken(live)["nothing asked for is lost"])
    place = f"logs/{broken.name}:{number} {broken.name} has a broken line"
    assert place in _broken(live)["logs are complete"]
    assert live.progress.unreadable == 1
    assert "at most once per destination" not in _broken(live)
    assert any(doubled["id"] in told for told in _broken(last)["at most once per destination"])
    assert _verdict(last).as_json() == judged(run.path).verdict.as_json()
