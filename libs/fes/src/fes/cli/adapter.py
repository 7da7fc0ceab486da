"""`fes adapter new`: makes the package of an adapter of one's own, which works at once."""

import re
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shutil import rmtree
from string import Template
from typing import Final, TextIO

from fes.adapter.registry import adapter_kinds
from fes.errors import FesError

TEMPLATE: Final = "adapter_template"
"""Folder beside this module: the files of the package, with `$name`, `$package` and `$adapter`."""

SUFFIX: Final = ".tmpl"
PACKAGE: Final = "package"
"""Folder of the template that has the package's own name in what is made."""

LONGEST: Final = 40
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("adapter", help="make the package of an adapter of one's own")
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    new = acts.add_parser("new", help="write a package that passes the conformance suite")
    new.add_argument("name", metavar="NAME", help="kind of event service, e.g. amqp or my-bus")
    new.add_argument(
        "--directory", type=Path, metavar="D", help="folder to make (default: adapter-NAME)"
    )


def run(options: Namespace, out: TextIO) -> int:
    """Write the package; a folder that is there is left alone.

    Raises:
        FesError: Raised when the name is not a valid kind or is in use, or the folder is there or
            cannot be made.
    """
    name = options.name
    _check(name)
    folder = options.directory or Path(f"adapter-{name}")
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise FesError(f"{folder} is there already; name another with --directory") from error
    except OSError as error:
        raise FesError(f"{folder} cannot be made: {error.strerror}") from error
    try:
        for path, text in files_of(name):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
    except OSError as error:
        rmtree(folder, ignore_errors=True)
        raise FesError(f"{folder} cannot be made: {error.strerror}") from error
    out.write(f"made {folder}; now: cd {folder}; pip install -e '.[test]'; pytest\n")
    return 0


def files_of(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of the package of a kind: path and text.

    Args:
        name: A valid kind.
    """
    words = {
        "name": name,
        "package": f"adapter_{name.replace('-', '_')}",
        "adapter": "".join(part.capitalize() for part in name.split("-")) + "Adapter",
    }
    for path, text in _below(files("fes.cli") / TEMPLATE, Path()):
        parts = [words[PACKAGE] if part == PACKAGE else part for part in path.parts]
        yield Path(*parts).with_suffix(""), Template(text).substitute(words)


def _below(folder: Traversable, path: Path) -> Iterator[tuple[Path, str]]:
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.is_dir():
            yield from _below(each, path / each.name)
        elif each.name.endswith(SUFFIX):
            yield path / each.name, each.read_text("utf-8")


def _check(name: str) -> None:
    if len(name) > LONGEST or not _NAME.fullmatch(name):
        raise FesError(
            f"{name[:80]!r} is not a valid kind: a small letter, then small letters and digits,"
            f" in words joined by `-`, at most {LONGEST} characters"
        )
    if name in adapter_kinds():
        raise FesError(f"an adapter of kind {name!r} is installed already")
