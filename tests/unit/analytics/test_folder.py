"""The files of a run folder, and the summary of what they lack."""

from pathlib import Path

import pytest
from analytics.errors import CannotJudgeError
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import RunFolder, licences, numbered, open_folder
from analytics.inputs.log_files import Component, LogSummary
from analytics.inputs.outages import FOREVER_US, Outage
from analytics.inputs.remains import look
from analytics.traffic.incomplete import incomplete
from support.judge.runs import Plan, make_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", Plan(vehicles=1, seconds=3))


def test_event_logs_are_sorted_by_process_and_number(run: Path) -> None:
    for number in (2, 10):
        (run / "logs" / f"eventlog-city.{number}.jsonl").touch()
    (run / "logs" / "eventlog-city.x.jsonl").touch()

    names = [path.name for path in open_folder(run).event_logs]

    assert names == [
        "eventlog-city.1.jsonl",
        "eventlog-city.2.jsonl",
        "eventlog-city.10.jsonl",
        "eventlog-fleet.1.jsonl",
    ]
    assert numbered(Path("eventlog-a.b.7.jsonl")) == ("a.b", 7)


@pytest.mark.parametrize("name", ["federation.yaml", "ground_truth.jsonl", "offenders.jsonl"])
def test_a_missing_file_cannot_be_judged(run: Path, name: str) -> None:
    (run / name).unlink()

    with pytest.raises(CannotJudgeError, match=f"{name}: is missing"):
        open_folder(run)


def test_a_run_without_event_logs_or_folder_cannot_be_judged(run: Path) -> None:
    for path in open_folder(run).event_logs:
        path.unlink()

    with pytest.raises(CannotJudgeError, match="holds no event log"):
        open_folder(run)
    with pytest.raises(CannotJudgeError, match="is not a run folder"):
        open_folder(run / "nowhere")


def test_licences_come_from_the_trace(run: Path) -> None:
    assert licences(run / "trace.csv") == {"veh1": "FES0001"}

    (run / "trace.csv").write_text("time_us,vehicle\n1,veh1\n", encoding="utf-8")
    with pytest.raises(CannotJudgeError, match="licence"):
        licences(run / "trace.csv")


def _summary(run: Path, stopped: dict[str, int]) -> LogSummary:
    federation = load_federation(run / "federation.yaml")
    names = [*federation.gateways, *(one.name for one in federation.adapters)]
    components = {name: Component(5, stopped.get(name, 9)) for name in names}
    last = {path.name: 100 for path in RunFolder(run).logs}
    return LogSummary(components, {"city": frozenset({"g-m-M01"})}, frozenset(), last)


def _lacks(run: Path, summary: LogSummary, *outages: Outage) -> list[tuple[str, str]]:
    federation = load_federation(run / "federation.yaml")
    remains = look(RunFolder(run), summary, [])
    found = incomplete(remains, summary, federation, outages)
    return [(example.id, example.reason) for example in found]


def test_whole_logs_lack_nothing(run: Path) -> None:
    assert _lacks(run, _summary(run, {})) == []


def test_a_component_that_never_stopped_is_named_unless_it_was_cut_off(run: Path) -> None:
    summary = _summary(run, {"g-m-M01": 0, "g-m-M02": 4})

    assert _lacks(run, summary, Outage("g-m-M01", 7, FOREVER_US, killed=True)) == [
        ("logs of g-m-M02", "has no record that it stopped")
    ]


def test_a_file_that_is_missing_between_others_is_named(run: Path) -> None:
    (run / "logs" / "eventlog-city.3.jsonl").touch()

    assert _lacks(run, _summary(run, {})) == [
        ("logs/eventlog-city.2.jsonl", "is missing between two others")
    ]


def test_event_logs_that_end_before_the_last_frame_are_named(run: Path) -> None:
    summary = _summary(run, {})
    summary.last_us["ground_truth.jsonl"] = 5_000_101

    assert _lacks(run, summary) == [
        ("ground_truth.jsonl", "the event logs end 5.0 s before the last frame was sent")
    ]


def test_a_torn_end_is_named_and_a_kill_excuses_one_only_inside(run: Path) -> None:
    log = run / "logs" / "eventlog-city.1.jsonl"
    log.write_text(log.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    number = log.read_text(encoding="utf-8").count("\n") + 1
    named = [(f"logs/{log.name}:{number}", f"{log.name} is cut short here")]
    kill = Outage("g-m-M01", 7, 8, killed=True)

    assert _lacks(run, _summary(run, {})) == named
    assert _lacks(run, _summary(run, {}), kill) == named

    (run / "logs" / "eventlog-city.2.jsonl").touch()
    assert _lacks(run, _summary(run, {}), kill) == []
