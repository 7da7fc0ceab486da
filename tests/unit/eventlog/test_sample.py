"""The sample: asked for before a record is made, and the same one then."""

from pathlib import Path

from fes.eventlog import Decision, EventLog, NullLog, Record


def test_the_log_writes_what_it_wants_and_nothing_else(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "test", sample=0.5)
    names = [f"car/1/{number}" for number in range(200)]
    wanted = {name for name in names if log.wants(name)}
    for name in names:
        log.write(Record(decision=Decision.RECEIVED, wall_us=1, id=name))
    log.close()

    text = (tmp_path / "eventlog-test.0.jsonl").read_text("utf-8")
    assert 0 < len(wanted) < len(names)
    assert {name for name in names if f'"{name}"' in text} == wanted


def test_records_about_no_event_are_always_wanted(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "test", sample=0.0)
    assert log.wants("")
    assert not log.wants("car/1/1")
    log.close()


def test_a_log_that_forgets_all_wants_nothing() -> None:
    assert not NullLog().wants("")
