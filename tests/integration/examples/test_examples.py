"""The programs in `examples/` run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.broker, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "libs/eventservices/README.md").read_text("utf-8")
SHOWN: dict[str, tuple[str, str]] = {
    name.lower(): (code, printed)
    for name, code, printed in re.findall(
        r"^## (\w+)\n\n```python\n(.*?)```\n\nIt prints `(.*?)`\.$", PAGE, re.DOTALL | re.MULTILINE
    )
}
LINES = 25


def test_there_is_one_for_each_event_service() -> None:
    assert {file.stem for file in EXAMPLES.glob("*.py")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_the_librarys_page_shows_the_same_program(name: str) -> None:
    assert (EXAMPLES / f"{name}.py").read_text("utf-8") == SHOWN[name][0]


@pytest.mark.parametrize("name", SHOWN)
def test_it_runs_and_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    words = (sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{SHOWN[name][1]}\n")


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob("*.py")), ids=lambda file: file.stem)
def test_it_is_short(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= LINES


@pytest.mark.parametrize(
    ("example", "application", "lines"),
    [
        ("federated", "subscribe", {"35.5 degrees", "31.0 degrees"}),
        ("plain", "office", {"hall 35.5", "attic 31.0"}),
    ],
)
def test_what_is_published_at_one_end_and_asked_for_reaches_the_other(
    example: str, application: str, lines: set[str], tmp_path: Path
) -> None:
    fes, file = Path(sys.executable).with_name("fes"), EXAMPLES / example / "federation.yaml"
    run = tmp_path / "run"
    words = (str(fes), "run", str(file), "--run", str(run))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    received = (run / f"logs/{application}.log").read_text().splitlines()
    assert len(received) == 2
    assert set(received) <= lines


def test_plain_programs_know_their_brokers_libraries_alone() -> None:
    for file in (EXAMPLES / "plain").glob("*.py"):
        imported = set(re.findall(r"^(?:import|from) (\w+)", file.read_text("utf-8"), re.MULTILINE))
        assert imported - sys.stdlib_module_names in ({"gmqtt"}, {"nats"})
