"""`fes adapter new` makes a package that works at once, and whose suite notices what does not."""

import argparse
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fes.adapter.registry import adapter_kinds
from fes.cli import adapter
from fes.errors import FesError

ROOT = Path(__file__).parents[3]
YOURS = "# YOURS"


def new(name: str, folder: Path | None) -> str:
    out = io.StringIO()
    options = argparse.Namespace(act="new", name=name, directory=folder)
    assert adapter.run(options, out) == 0
    return out.getvalue()


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "site"), "MYPYPATH": "src"}
    return subprocess.run(
        (sys.executable, "-m", *words),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a package that was made and installed, under a name of two words."""
    folder = tmp_path_factory.mktemp("own") / "adapter-my-bus"
    new("my-bus", folder)
    pip = ("pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    done = ran(folder, *pip, "--no-build-isolation", "--target", "site", ".")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_what_is_made_passes_the_suite_at_once(made: Path) -> None:
    done = ran(made, "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("{HEADER: pack(stamp), **message.packed.headers}", "dict(message.packed.headers)"),
        ("{HEADER: pack(stamp), **message.packed.headers}", "{HEADER: pack(stamp)}"),
    ],
    ids=["forgets the stamp", "forgets the types"],
)
def test_the_suite_notices_a_method_that_is_wrong(made: Path, right: str, wrong: str) -> None:
    package = made / "site/adapter_my_bus"
    path = next(each for each in package.glob("*.py") if right in each.read_text("utf-8"))
    text = path.read_text("utf-8")
    path.write_text(text.replace(right, wrong), "utf-8")
    chosen = "keeps_its_stamp or comes_back_as_it_was"
    try:
        done = ran(made, "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", chosen)
    finally:
        path.write_text(text, "utf-8")
    assert done.returncode == 1, done.stdout


@pytest.mark.slow
def test_what_is_made_is_typed_and_in_the_style_of_the_house(made: Path) -> None:
    done = ran(made, "mypy", "--no-incremental", "src", "tests")
    assert done.returncode == 0, done.stdout
    settings = ("--config", str(ROOT / "pyproject.toml"), "--no-cache")
    for words in (("check", *settings), ("format", "--check", *settings)):
        done = ran(made, "ruff", *words, "src", "tests")
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_a_federation_may_name_its_kind_once_it_is_installed(made: Path) -> None:
    (made / "federation.yaml").write_text(
        """
version: 1
system: own
brokers:
  one: {kind: my-bus, url: "my-bus://127.0.0.1:1234"}
  two: {kind: my-bus, url: "my-bus://127.0.0.1:1235"}
event_services:
  one: {kind: my-bus, brokers: [one], settings: {routes: [{topic: "a.{room}", event: Reading}]}}
  two: {kind: my-bus, brokers: [two]}
gateways:
  gate: {adapters: {one: {}, two: {}}}
requests:
  - {gateway: gate, type: subscription, source: two, dist_list: one, filter: Reading}
""",
        "utf-8",
    )
    done = ran(made, "fes.cli.main", "validate", "federation.yaml")
    assert (done.returncode, done.stdout) == (0, "1 file checked: no errors, 0 warnings\n")


def test_it_has_the_anatomy_of_every_adapter_and_marks_what_is_to_be_replaced(
    tmp_path: Path,
) -> None:
    said = new("amqp", tmp_path / "here")
    assert (
        said == f"made {tmp_path}/here; now: cd {tmp_path}/here; pip install -e '.[test]'; pytest\n"
    )
    package = tmp_path / "here/src/adapter_amqp"
    common = {"__init__", "__main__", "adapter", "app", "codec", "mapping", "settings"}
    assert {path.stem for path in package.glob("*.py")} >= common
    text = (package / "adapter.py").read_text("utf-8")
    assert "class AmqpAdapter(" in text
    for method in ("capabilities_for", "_open", "_publish", "_settle", "_probe"):
        body = text.partition(f"def {method}(")[2].partition("\n    def ")[0]
        assert YOURS in body.partition("\n    async def ")[0], method
    for path in (tmp_path / "here").rglob("*"):
        assert path.is_dir() or "$" not in path.read_text("utf-8")


@pytest.mark.parametrize(
    "name", ["", "Amqp", "a b", "a--b", "-a", "a-", "1a", "a_b", "../a", "ä", "a\n", "a" * 41]
)
def test_a_name_that_is_no_kind_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(FesError, match="is not a valid kind") as caught:
        new(name, tmp_path / "here")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "here").exists()


def test_a_kind_that_is_installed_is_refused(tmp_path: Path) -> None:
    assert "mqtt" in adapter_kinds()
    with pytest.raises(FesError, match="'mqtt' is installed already"):
        new("mqtt", tmp_path / "here")


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", "utf-8")
    with pytest.raises(FesError, match="is there already"):
        new("amqp", tmp_path)
    with pytest.raises(FesError, match="mine is there already"):
        new("amqp", tmp_path / "mine")
    with pytest.raises(FesError, match="cannot be made"):
        new("amqp", tmp_path / "none/here")
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_a_package_that_cannot_be_written_whole_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(FesError, match=r"foo cannot be made: No space left"):
        new("foo", tmp_path / "foo")
    assert not list(tmp_path.iterdir())
