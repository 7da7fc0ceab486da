"""Bad lines in a run folder: one line that names file, line and reason, and status 2."""

import subprocess
import sys
from pathlib import Path

import pytest
from analytics.__main__ import main as judge
from analytics.errors import CannotJudgeError
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import RunFolder, licences
from analytics.inputs.outages import load_outages
from can_sim.__main__ import main as can_sim
from support.judge.runs import Plan, make_run
from traffic_control.__main__ import main as traffic_control

FEDERATION = """version: 1
system: traffic
brokers:
  siena-1: {kind: nats, url: "nats://127.0.0.1:1"}
event_services:
  steam-m-M01: {kind: memory}
  siena-m: {kind: siena, brokers: [siena-1], settings: {index: FES_Subject}}
gateways:
  g-m-M01: {adapters: {steam-m-M01: {}, siena-m: {}}}
"""
MONITORS = "monitor,lat,lon,radius_m,limit_kmh\nM01,50.02,11.49,150,70\n"
TRACE = "time_us,vehicle,licence,lat,lon,speed_kmh\n1,a,TEST001,50,11,30\n"


@pytest.fixture(autouse=True)
def nobody_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    def served(*_: object) -> None:
        pytest.fail("the bad input was taken")

    monkeypatch.setattr("traffic_control.__main__.serve", served)


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err


BAD_MONITORS = {
    "no UTF-8": (MONITORS.encode() + b"M\xf4\x02,1,2,3,50\n", ":3: is not UTF-8"),
    "no number": (MONITORS.encode() + b"M02,1,2,3,fast\n", ":3: column limit_kmh: 'fast'"),
    "not a number": (MONITORS.encode() + b"M02,1,2,3,nan\n", ":3: column limit_kmh: 'nan'"),
    "no cell": (MONITORS.encode() + b"M02,1\n", ":3: column limit_kmh"),
    "twice": (MONITORS.encode() + b"M01,1,2,3,50\n", ":3: column monitor: 'M01'"),
    "no such monitor": (MONITORS.encode() + b"M77,1,2,3,50\n", ":3: column monitor: no gateway"),
    "no column": (b"monitor,limit\nM01,70\n", ":1: there is no column limit_kmh"),
    "an endless cell": (MONITORS.encode() + b"M" * 200_000 + b",1,2,3,5\n", ":3: field larger"),
    "nothing": (b"", ":1: there is no column monitor"),
}


@pytest.mark.parametrize("case", sorted(BAD_MONITORS))
def test_the_city_does_not_start_on_a_bad_list_of_monitors(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, reason = BAD_MONITORS[case]
    (tmp_path / "federation.yaml").write_text(FEDERATION)
    (tmp_path / "monitors.csv").write_bytes(content)

    assert traffic_control(["serve", "--run", str(tmp_path)]) == 2

    assert f"{tmp_path / 'monitors.csv'}{reason}" in one_line(capsys)


BAD_FILE = {
    "an unknown key": (b"system: traffic", b"sistem: traffic", ":2:1: sistem: unknown key"),
    "no UTF-8": (b"traffic", b"tr\xf4\x02c", "federation.yaml"),
    "a bracket left open": (b"{kind: memory}", b"{kind: memory", ": not YAML"),
    "no SIENA": (b"kind: siena", b"kind: memory", "needs one event service of kind siena"),
    "no url": (b', url: "nats://127.0.0.1:1"', b"", "brokers.siena-1: has no url"),
}


@pytest.mark.parametrize("case", sorted(BAD_FILE))
def test_the_city_does_not_start_on_a_bad_federation(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, reason = BAD_FILE[case]
    (tmp_path / "federation.yaml").write_bytes(FEDERATION.encode().replace(old, new, 1))
    (tmp_path / "monitors.csv").write_text(MONITORS)

    assert traffic_control(["serve", "--run", str(tmp_path)]) == 2

    told = capsys.readouterr().err
    assert str(tmp_path / "federation.yaml") in told
    assert reason in told


BAD_TRACE = {
    "no number": (b"1,a,TEST001,50,11,fast\n", ":3: column speed_kmh: 'fast' is not a number"),
    "an endless time": (b"9" * 5000 + b",a,TEST001,50,11,30\n", ":3: column time_us"),
    "beyond the pole": (b"1,a,TEST001,95,11,30\n", ":3: column lat: 95 is out of range"),
    "no cell": (b"1,a,TEST001\n", ":3: column lat: is empty"),
    "back in time": (b"0,a,TEST001,50,11,30\n", ":3: column time_us: is earlier"),
    "no UTF-8": (b"1,a,T\xf4\x02EST,50,11,30\n", ":3: column licence"),
    "NUL bytes": (b"1,a,T\x00EST,50,11,30\n", ":3: the line holds NUL bytes"),
}


@pytest.mark.parametrize("case", sorted(BAD_TRACE))
def test_the_fleet_does_not_start_on_a_bad_trace(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, reason = BAD_TRACE[case]
    (tmp_path / "trace.csv").write_bytes(TRACE.encode() + line)

    assert can_sim(["run", "--run", str(tmp_path)]) == 2

    assert f"{tmp_path / 'trace.csv'}{reason}" in one_line(capsys)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("judged") / "run", Plan(vehicles=1, seconds=3))


def spoil(run: Path, name: str, content: bytes, folder: Path) -> Path:
    """Return a copy of a run in which one file is another."""
    for path in run.iterdir():
        (folder / path.name).symlink_to(path)
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_bytes(content)
    return folder


BAD_RUN = {
    "no YAML": (b"a: [", ":2: is not well-formed YAML"),
    "no mapping": (b"- 1\n", ":1: is not a mapping"),
    "no UTF-8": (b"a: \xf4\x02\n", ": cannot be read"),
    "no such day": (b"version: 1\na: 2001-02-30\n", ": holds a value that is none"),
    "another version": (b"version: 7\n", ":1: version is not 1"),
    "an endless number": (b"version: 1\na: " + b"1" * 5000, ": holds a value that is none"),
}


@pytest.mark.parametrize("case", sorted(BAD_RUN))
def test_the_judge_does_not_judge_by_a_bad_federation(
    case: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, reason = BAD_RUN[case]
    folder = spoil(run, "federation.yaml", content, tmp_path)

    assert judge(["verify", str(folder)]) == 2

    assert f"federation.yaml{reason}" in one_line(capsys)


def test_the_judge_takes_no_number_that_is_none(run: Path, tmp_path: Path) -> None:
    text = (run / "federation.yaml").read_text(encoding="utf-8")
    spoilt = text.replace("range_m: 150", "range_m: .nan", 1).replace(
        "range_m: 300", "range_m: .nan"
    )
    assert spoilt != text
    folder = spoil(run, "federation.yaml", spoilt.encode(), tmp_path)

    with pytest.raises(CannotJudgeError, match=r"federation\.yaml:\d+: range_m is not a number"):
        load_federation(folder / "federation.yaml")


HEAD = b"time_us,vehicle,licence,lat,lon,speed_kmh\n1,veh1,FES0001,50,11,30\n"
BAD_FLEET = {
    "no UTF-8": (HEAD + b"1,v\xf4\x02,FES0002,50,11,30\n", ":3: is not UTF-8"),
    "no cell": (HEAD + b"1,veh2\n", ":3: lacks a cell"),
    "no place": (HEAD + b"1,veh2,FES0002,north,11,30\n", ":3: lacks a cell, or lat or lon"),
    "an endless cell": (HEAD + b"1," + b"v" * 200_000 + b",F,1,2,3\n", ":3: is not CSV"),
    "no column": (b"time_us,vehicle\n1,veh1\n", ":1: has no column 'licence'"),
}


@pytest.mark.parametrize("case", sorted(BAD_FLEET))
def test_the_judge_takes_no_bad_trace(case: str, tmp_path: Path) -> None:
    content, reason = BAD_FLEET[case]
    (tmp_path / "trace.csv").write_bytes(content)

    with pytest.raises(CannotJudgeError) as caught:
        licences(tmp_path / "trace.csv")

    assert f"trace.csv{reason}" in str(caught.value)


GOOD_CUT = b'{"part": "g-m-M01", "from_us": 1, "to_us": 2, "cause": "cut", "by": "harness"}\n'
BAD_CUTS = {
    "no JSON": (b"cut\n", ":2: is not JSON"),
    "no UTF-8": (b'{"part": "\xf4\x02"}\n', ":2: is not JSON"),
    "no object": (b"[1]\n", ":2: is not a JSON object"),
    "bottomless": (b"[" * 100_000 + b"\n", ":2: is not JSON"),
    "no part": (b'{"from_us": 1}\n', ":2: lacks 'to_us'"),
    "no time": (GOOD_CUT.replace(b'_us": 1', b'_us": "soon"'), ":2: holds no time"),
    "an endless time": (GOOD_CUT.replace(b'_us": 1', b'_us": Infinity'), ":2: holds no time"),
}


@pytest.mark.parametrize("case", sorted(BAD_CUTS))
def test_the_judge_takes_no_bad_outage(case: str, run: Path, tmp_path: Path) -> None:
    line, reason = BAD_CUTS[case]
    federation = load_federation(run / "federation.yaml")
    (tmp_path / "outages.jsonl").write_bytes(GOOD_CUT + line + GOOD_CUT)

    with pytest.raises(CannotJudgeError) as caught:
        load_outages(RunFolder(tmp_path), federation, {})

    assert f"outages.jsonl{reason}" in str(caught.value)


ADAPTER = ("--gateway", "g-m-M01", "--event-service", "siena-m", "--link", "ws://127.0.0.1:1/link")
COMMANDS: dict[str, tuple[list[str], int]] = {
    "fes run": (["fes.cli.main", "run", "{file}", "--run", "{run}"], 2),
    "fes validate": (["fes.cli.main", "validate", "{file}"], 1),
    "fes-gateway": (["fes_gateway", "--federation", "{file}", "--run", "{run}"], 2),
    "an adapter": (["fes.adapter", "--federation", "{file}", "--run", "{run}", *ADAPTER], 2),
}


@pytest.mark.parametrize("command", sorted(COMMANDS))
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"system: traffic", b"sistem: traffic", ":2:1: sistem: unknown key"),
        (b"system: traffic", b"system: tr\xf4\x02c", ":2:11: byte 0xf4 is not UTF-8"),
    ],
)
def test_no_command_starts_on_a_bad_federation(
    command: str, old: bytes, new: bytes, reason: str, tmp_path: Path
) -> None:
    words, status = COMMANDS[command]
    file = tmp_path / "federation.yaml"
    file.write_bytes(FEDERATION.encode().replace(old, new))
    given = [word.format(file=file, run=tmp_path / "run") for word in words]

    done = subprocess.run(
        [sys.executable, "-m", *given], capture_output=True, text=True, timeout=30, check=False
    )

    assert done.returncode == status
    told = done.stdout + done.stderr
    assert f"{file}{reason}" in told
    assert "Traceback" not in told
