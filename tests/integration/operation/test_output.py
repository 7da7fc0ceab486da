"""A pipe that closes, and arguments that are nonsense: no command shows how it is made."""

import codecs
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

EVENT = '{"subject": "Speed", "parameters": {"rate": 50.0}}\n'
PROGRAMS = {
    "fes": "fes.cli.main",
    "can-sim": "can_sim",
    "traffic-control": "traffic_control",
    "fes-analytics": "analytics",
    "fes-traffic": "traffic_scenario",
    "fes-persistent": "persistent_scenario",
    "fes-traffic-control-events": "traffic_control_events",
    "fes-gateway": "fes_gateway",
    "fes.adapter": "fes.adapter",
    "cns": "eventservices.cns",
    "siena": "eventservices.siena",
    "steam": "eventservices.steam",
    "cosmic": "eventservices.cosmic",
}
SUBCOMMANDS = {
    "fes": ("run", "validate", "filter explain", "filter test", "filter covers", "inject"),
    "can-sim": ("plan", "run", "convert"),
    "traffic-control": ("serve", "limits", "set"),
    "fes-analytics": ("verify", "serve"),
    "fes-traffic": ("plan", "demo", "up", "down", "stage"),
    "fes-persistent": ("run", "judge"),
    "fes-traffic-control-events": ("demo", "judge", "plan"),
    "cns": ("observe", "publish"),
    "steam": ("observe", "publish"),
    "cosmic": ("observe", "replay"),
}
NONSENSE = (
    *("", " ", "-", "--", "x", "..", "/", "/dev/null", "/nonexistent/file", "-1", "1e400"),
    *("nan", "\udcff", "ü\n", "{", "a" * 5000, "--run", "--out", "--port", "--speedup", "--seed"),
    *("--federation", "--url", "--filter", "--event", "--gateway", "--source", "--dist-list"),
    *("http://[", "ftp://x", "nats://127.0.0.1:1", "mqtt://127.0.0.1:1", "127.0.0.1", "65536"),
)


def words_of(program: str, number: int) -> list[str]:
    """Return a command of nonsense, by chance."""
    chance = random.Random(f"{program} {number}")
    chosen = chance.choice(SUBCOMMANDS.get(program, ("",)))
    return [*chosen.split(), *(chance.choice(NONSENSE) for _ in range(chance.randint(0, 4)))]


def run(program: str, words: list[str], folder: Path, **variables: str) -> tuple[int, str, str]:
    """Run a command that nothing answers; one that goes on is ended after a while."""
    command = [sys.executable, "-m", PROGRAMS[program], *words]
    environment = {**os.environ, **variables}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            out, error = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.terminate()
            out, error = process.communicate(timeout=60)
        return process.returncode, out.decode("utf-8", "replace"), error.decode("utf-8", "replace")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", PROGRAMS)
def test_nonsense_is_told_in_plain_words(program: str, tmp_path: Path) -> None:
    for number in range(int(os.environ.get("FES_NONSENSE", "1"))):
        words = words_of(program, number)
        status, out, error = run(program, words, tmp_path)
        assert "Traceback" not in out + error, (words, error)
        assert "unexpected" not in error, (words, error)
        assert status in (0, 1, 2, 130, 143), (words, status, error)
        if status == 2 and not error.startswith("fes filter"):
            assert error.count("\n") <= 1, (words, error)


CONVERTED = "(1.000000) can0 123#1122334455667788\n"
PIPED: dict[str, tuple[str, list[str]]] = {
    "explain": ("fes", ["filter", "explain", "subject = 'Speed' AND rate > 46"]),
    "test": ("fes", ["filter", "test", "rate > 46", "events.jsonl"]),
    "help": ("fes", ["--help"]),
    "doctor": ("fes", ["doctor"]),
    "validate": ("fes", ["validate", *["bad.yaml"] * 400]),
    "convert": ("can-sim", ["convert", "drive.log"]),
    "city's help": ("traffic-control", ["serve", "--help"]),
    "judge's help": ("fes-analytics", ["--help"]),
    "plan": ("fes-traffic", ["plan", "--out", "planned", "--vehicles", "2", "--duration", "10"]),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PIPED)
def test_who_reads_no_more_ends_a_command_quietly(name: str, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(EVENT * 20_000)
    (tmp_path / "drive.log").write_text(CONVERTED * 20_000)
    (tmp_path / "bad.yaml").write_text("version: 1\nsystem: [\n")
    program, words = PIPED[name]
    ours, theirs = os.pipe()
    os.close(ours)  # nobody ever reads: as `| head -0`
    with subprocess.Popen(
        [sys.executable, "-m", PROGRAMS[program], *words],
        cwd=tmp_path,
        stdout=theirs,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(theirs)
        _, error = process.communicate(timeout=120)
    assert error.decode() == ""
    assert process.returncode == 141


def test_a_locale_without_the_sign_is_no_error(tmp_path: Path) -> None:
    words = ["filter", "explain", "town = 'zürich 😍'"]
    status, out, error = run("fes", words, tmp_path, PYTHONIOENCODING="ascii")
    assert (status, error) == (0, "")
    assert "z\\xfcrich" in out


def test_a_file_in_utf_16_is_read_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(codecs.BOM_UTF16_LE + (EVENT * 2).encode("utf-16-le"))
    status, out, _ = run("fes", ["filter", "test", "rate > 46", "e.jsonl"], tmp_path)
    assert (status, out.splitlines()[-1]) == (0, "2 accepted")
