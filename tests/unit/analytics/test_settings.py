"""Settings of the commands: the line, the environment, and what is said of a bad one."""

from pathlib import Path

import pytest
from analytics import settings
from analytics.__main__ import main
from analytics.errors import SettingError


def test_what_the_line_leaves_out_comes_from_the_environment_or_is_usual() -> None:
    environment = {"ANALYTICS_RUN": "s3a://logs/run", "ANALYTICS_TRIGGER_S": "5"}
    given = settings.read(["serve", "--http-port", "0", "--settle-s", "3"], environment)

    assert (given.run, given.trigger_s, given.http_port, given.settle_s) == (
        *("s3a://logs/run", 5.0),
        *(0, 3.0),
    )
    assert (given.http_host, given.heap, given.master) == ("127.0.0.1", "640m", "local[2]")
    assert settings.read(["serve", "there"], environment).run == "there"
    assert settings.read(["verify"], {}).run == "runs/latest"
    assert settings.read(["verify"], {"ANALYTICS_HEAP": ""}).heap == "2g"


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("ANALYTICS_HTTP_PORT", "http", "is no port"),
        ("ANALYTICS_HTTP_PORT", "65536", "is no port"),
        ("ANALYTICS_TRIGGER_S", "nan", "is not above 0"),
        ("ANALYTICS_TRIGGER_S", "0", "is not above 0"),
        ("ANALYTICS_SETTLE_S", "soon", "is not above 0"),
        ("ANALYTICS_IDLE_S", "inf", "is not above 0"),
        ("ANALYTICS_KEEP_EVENTS", "3", "is not from 1000"),
        ("ANALYTICS_MASTER", "sparky", "is no master"),
        ("ANALYTICS_HEAP", "lots", "is no amount of memory"),
        ("ANALYTICS_SPARK_CONF", "/nowhere/at/all", "No such file"),
    ],
)
def test_a_bad_setting_ends_with_2_and_one_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    reason: str,
) -> None:
    monkeypatch.setenv(variable, value)

    assert main(["serve"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert variable in told.err
    assert reason in told.err


@pytest.mark.parametrize("line", [["judge"], ["serve", "a", "b"], ["verify", "--speed", "3"], []])
def test_an_unknown_command_or_option_ends_with_2_and_one_line(
    capsys: pytest.CaptureFixture[str], line: list[str]
) -> None:
    assert main(line) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "master", ["local", "local[*]", "local[4,2]", "spark://a:7077,b:7077", "yarn", "k8s://x:1"]
)
def test_masters_of_every_kind_are_taken(master: str) -> None:
    assert settings.read(["verify", "--master", master], {}).master == master


def test_settings_of_spark_come_from_a_file_and_secrets_from_files_of_their_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "key").write_text("s3cret\n", encoding="utf-8")
    conf = tmp_path / "spark.conf"
    conf.write_text(
        "# how to get there\n\nspark.hadoop.fs.s3a.endpoint  http://minio:9000\n"
        f"spark.hadoop.fs.s3a.secret.key = @{tmp_path}/key\n",
        encoding="utf-8",
    )
    given = settings.read(["serve"], {"ANALYTICS_SPARK_CONF": str(conf)})

    assert settings.spark_options(given).conf == {
        "spark.hadoop.fs.s3a.endpoint": "http://minio:9000",
        "spark.hadoop.fs.s3a.secret.key": "s3cret",
    }


@pytest.mark.parametrize("line", ["fs.s3a.endpoint x", "spark.master", "spark.x @/nowhere"])
def test_a_bad_line_of_that_file_is_named(tmp_path: Path, line: str) -> None:
    conf = tmp_path / "spark.conf"
    conf.write_text(f"# first\n{line}\n", encoding="utf-8")

    with pytest.raises(SettingError, match=r"--spark-conf: \S*spark\.conf:2: "):
        settings.read(["verify", "--spark-conf", str(conf)], {})

    with pytest.raises(SettingError, match=r"ANALYTICS_SPARK_CONF: \S*spark\.conf:2: "):
        settings.read(["verify"], {"ANALYTICS_SPARK_CONF": str(conf)})
