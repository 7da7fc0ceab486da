"""The command `fes-persistent`, where it needs no broker."""

from pathlib import Path

import pytest
from persistent_scenario.__main__ import main
from persistent_scenario.judging import Evidence
from persistent_scenario.records import KILLED, PUBLISHED, RECEIVED, VERDICT, Line, Recorder


def write(folder: Path, evidence: Evidence) -> None:
    lines: dict[str, list[Line]] = {
        PUBLISHED: [*evidence.tried.values(), *evidence.stored.values()],
        RECEIVED: [each for got in evidence.received.values() for each in got],
        KILLED: [*evidence.kills],
    }
    for name, each in lines.items():
        recorder = Recorder(folder / name)
        recorder.write(*each)
        recorder.close()


def test_the_exit_status_is_the_verdict(
    tmp_path: Path, flawless: Evidence, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, flawless)

    assert main(["judge", str(tmp_path)]) == 0
    assert "verdict: pass" in capsys.readouterr().out
    assert '"verdict": "pass"' in (tmp_path / VERDICT).read_text()


def test_a_log_with_a_line_too_few_fails(
    tmp_path: Path, flawless: Evidence, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, flawless)
    received = tmp_path / RECEIVED
    received.write_text("".join(received.read_text().splitlines(keepends=True)[1:]))

    assert main(["judge", str(tmp_path)]) == 1
    assert "nothing is lost" in capsys.readouterr().out
    assert '"verdict": "fail"' in (tmp_path / VERDICT).read_text()


@pytest.mark.parametrize("text", ["", "no line of ours\n"])
def test_what_cannot_be_judged_is_bad_input(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (PUBLISHED, RECEIVED, KILLED):
        (tmp_path / name).write_text(text)

    assert main(["judge", str(tmp_path)]) == 2
    assert "nothing to judge" in capsys.readouterr().err


def test_a_folder_that_is_none_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(tmp_path / "none")]) == 2
    assert main(["run", "--federation", str(tmp_path / "none.yaml")]) == 2
    assert capsys.readouterr().err.count("fes-persistent: ") == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--events", "0"),
        ("--events", "many"),
        ("--rate", "-1"),
        ("--kills", "-1"),
        ("--origins", "0"),
    ],
)
def test_a_setting_that_is_not_good_is_named(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", *words])
    assert ended.value.code == 2
    assert words[0] in capsys.readouterr().err
