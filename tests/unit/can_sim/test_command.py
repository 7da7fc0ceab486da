import csv
import json
from pathlib import Path
from typing import Any

import pytest
from can_sim import settings
from can_sim.__main__ import main
from can_sim.errors import InputError

FLEET = "time_s,vehicle,lat,lon,speed_kmh\n" + "".join(
    f"{t},{v},{50 + t / 1000},8.0,{40 + t}\n" for v in ("car a", "TEST002") for t in range(12)
)


def planned(
    folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    assert main(["plan", "--out", str(folder / "run"), *arguments]) == 0
    with (folder / "run" / "trace.csv").open(newline="") as stream:
        return json.loads(capsys.readouterr().out), list(csv.DictReader(stream))


def test_without_a_trace_the_demo_fleet_is_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary, rows = planned(tmp_path, capsys)
    assert (summary["vehicles"], summary["monitors"], len(rows)) == (24, 4, 24 * 120)
    assert rows[0]["vehicle"] == rows[0]["licence"] == "FES0001"


def test_the_same_settings_write_the_same_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        planned(tmp_path / name, capsys, "--vehicles", "5", "--duration", "20", "--seed", "9")
    for file in ("trace.csv", "monitors.csv"):
        one, two = ((tmp_path / name / "run" / file).read_bytes() for name in ("one", "two"))
        assert one == two


def test_a_csv_trace_is_planned_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET)
    summary, rows = planned(tmp_path, capsys, "--trace", str(tmp_path / "fleet.csv"))
    assert summary["samples"] == 24
    assert {(row["vehicle"], row["licence"]) for row in rows} == {
        ("car_a", "CARA000"),
        ("TEST002", "TEST002"),
    }
    assert rows[0]["speed_kmh"] == "40.0"


def test_a_trace_can_be_cut_to_vehicles_and_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET)
    _, rows = planned(
        tmp_path,
        capsys,
        "--trace",
        str(tmp_path / "fleet.csv"),
        "--vehicles",
        "1",
        "--duration",
        "5",
    )
    assert [row["time_us"] for row in rows] == ["0", "1000000", "2000000", "3000000", "4000000"]


def test_a_can_log_is_planned_with_a_gpx_track(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = "".join(
        f'<trkpt lat="{50 + n / 1000}" lon="8"><time>2020-01-01T00:00:{n:02d}Z</time></trkpt>'
        for n in range(10)
    )
    (tmp_path / "way.gpx").write_text(
        f'<gpx version="1.1" creator="us"><trk><trkseg>{points}</trkseg></trk></gpx>'
    )
    (tmp_path / "drive.candump").write_text("(1577836804.500000) can0 00003039#5445535430303142\n")
    _, rows = planned(
        tmp_path,
        capsys,
        "--trace",
        str(tmp_path / "drive.candump"),
        "--positions",
        str(tmp_path / "way.gpx"),
    )
    assert rows == [
        {
            "time_us": "1577836804500000",
            "vehicle": "TEST001",
            "licence": "TEST001",
            "lat": "50.0045",
            "lon": "8.0",
            "speed_kmh": "66.0",
        }
    ]


def test_what_was_skipped_is_in_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET + "9,x,1,2\n")
    summary, _ = planned(tmp_path, capsys, "--trace", str(tmp_path / "fleet.csv"))
    assert summary["skipped"] == {"bad_row": 1}
    assert "fleet.csv:26: column speed_kmh: is empty" in summary["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--strict", "--trace", "fleet.csv"], "fleet.csv:26: column speed_kmh: is empty"),
        (["--trace", "absent.csv"], "absent.csv: No such file"),
        (["--trace", "drive.log"], "drive.log: a CAN log tells no positions"),
        (["--dbc", "made.dbc"], "need a CAN log"),
        (["--vehicles", "many"], "--vehicles"),
        (["--duration", "0"], "--duration"),
        (["--unknown"], "--unknown"),
    ],
)
def test_bad_input_ends_with_status_2_and_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fleet.csv").write_text(FLEET + "9,x,1,2\n")
    assert main(["plan", "--out", "run", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert reason in told.err
    assert told.err.count("\n") == 1
    assert not Path("run").exists()


def test_a_log_is_converted_to_candump_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "made.asc"
    log.write_text("base hex timestamps absolute\n  1.5 1  3039x  Rx  d 2 0A 0B  Length = 1\n")
    assert main(["convert", str(log)]) == 0
    assert capsys.readouterr().out == "(0000000001.500000) 1 00003039#0A0B\n"
    assert main(["convert", str(log), "--direction", "--out", str(tmp_path / "out.log")]) == 0
    assert (tmp_path / "out.log").read_text() == "(0000000001.500000) 1 00003039#0A0B R\n"


def test_the_environment_stands_for_options_that_are_not_given() -> None:
    environment = {"CAN_SIM_URL": "nats://there:1", "CAN_SIM_SPEEDUP": "20", "CAN_SIM_RUN": "r"}
    options = settings.read(["run", "--speedup", "5"], environment)
    assert (options.url, options.speedup, options.run) == ("nats://there:1", 5.0, Path("r"))


@pytest.mark.parametrize(
    ("variable", "value"),
    [("CAN_SIM_SPEEDUP", "0"), ("CAN_SIM_CHANNEL_TEMPLATE", "x"), ("CAN_SIM_SPEEDUP", "nan")],
)
def test_a_bad_setting_in_the_environment_is_refused(variable: str, value: str) -> None:
    with pytest.raises(InputError, match=variable.removeprefix("CAN_SIM_").split("_")[0].lower()):
        settings.read(["run"], {variable: value})


def test_a_log_that_is_refused_leaves_what_was_converted_before(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("(1.000000) can0 123#11\n")
    (tmp_path / "bad.log").write_text("(1.000000) can0 123#22\nbroken\n")
    out = tmp_path / "out.log"
    assert main(["convert", str(tmp_path / "good.log"), "--out", str(out)]) == 0
    assert main(["convert", "--strict", str(tmp_path / "bad.log"), "--out", str(out)]) == 2
    assert out.read_text() == "(0000000001.000000) can0 123#11\n"


def test_a_device_that_is_full_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.log").write_text("(1.000000) can0 123#11\n")
    assert main(["convert", str(tmp_path / "good.log"), "--out", "/dev/full"]) == 2
    assert capsys.readouterr().err == "can-sim: /dev/full: No space left on device\n"


@pytest.mark.parametrize("duration", ["9" * 23, "1e300", "208334"])
def test_a_town_of_too_many_samples_is_refused_before_any_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], duration: str
) -> None:
    assert main(["plan", "--out", str(tmp_path / "run"), "--duration", duration]) == 2
    told = capsys.readouterr().err
    assert told.startswith("can-sim: --duration: 24 vehicles for ")
    assert told.count("\n") == 1
