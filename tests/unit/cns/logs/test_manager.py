"""Logs are made, copied, brought back after a restart and destroyed."""

from pathlib import Path

import pytest
from eventservices.cns.domains.logs.attributes import LogAttributes, LogFullAction, LogQoS
from eventservices.cns.domains.logs.errors import LogIdAlreadyExistsError
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.etcl import InvalidConstraintError
from unit.cns.logs.conftest import Clock, own


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_a_log_survives_a_restart_with_its_records_and_settings(
    tmp_path: Path, clock: Clock
) -> None:
    manager = LogManager(tmp_path, clock)
    log, number = manager.create(LogFullAction.HALT, 1000, [50])
    log.set_log_qos(LogQoS.RELIABILITY)
    log.write_records(["a", "b"], [{"n": 1}, {}])
    log.delete_records_by_id([2])
    await log.flush()
    before = log.attributes
    manager.close()
    again = LogManager(tmp_path, clock)
    assert again.open_all() == (number,)
    back = again.find_log(number)
    assert (back.attributes, back.n_records) == (before, 1)
    assert back.get_record_attribute(1) == {"n": 1}
    assert back.write_records(["c"]) == [3]  # the identifier of a deleted record is not given again
    copied, copy_id = again.copy(number)
    assert (copied.attributes, copied.n_records, copy_id) == (before, 0, 1)
    again.destroy([number])
    assert own(back, "ObjectDeletion")
    assert not any(name.startswith("0.") for name in files(tmp_path))
    assert own(copied, "ObjectCreation")
    again.close()


def test_a_copy_is_set_to_the_same_and_needs_an_identifier_of_its_own(manager: LogManager) -> None:
    original, number = manager.create(LogFullAction.HALT, 500, [50])
    original.write_records(["x"])
    copied = manager.copy_with_id(number, 7)
    assert (copied.attributes, copied.n_records) == (original.attributes, 0)
    with pytest.raises(LogIdAlreadyExistsError):
        manager.copy_with_id(number, 7)
    assert manager.copy(7)[1] == 8
    assert [each.id for each in manager.list_logs()] == [0, 7, 8]
    assert manager.list_logs_by_id() == (0, 7, 8)
    assert manager.find_log(7) is copied


def test_a_log_with_a_filter_that_is_not_valid_leaves_no_file(tmp_path: Path) -> None:
    manager = LogManager(tmp_path)
    for make in (manager.make, manager.make_over):
        with pytest.raises(InvalidConstraintError):
            make(0, LogAttributes(constraint="$.speed >"))
    assert files(tmp_path) == []
    manager.make(0, LogAttributes(constraint="$.speed > 1"))
    manager.close()


def test_a_file_that_is_left_of_another_log_is_renamed_and_kept(tmp_path: Path) -> None:
    first = LogManager(tmp_path)
    first.make(0, LogAttributes()).write_records(["kept"])
    first.close()
    second = LogManager(tmp_path)
    with pytest.raises(LogIdAlreadyExistsError):
        second.make(0, LogAttributes())
    assert second.make_over(0, LogAttributes()).n_records == 0
    second.close()
    [aside] = [path for path in tmp_path.iterdir() if path.name != "0.log.sqlite"]
    aside.rename(tmp_path / "1.log.sqlite")
    assert LogManager(tmp_path).open(1).get_record(1).info == "kept"
