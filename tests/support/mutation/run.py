"""Changes the core in one place at a time and sees whether a test, or a seed, notices.

python -m support.mutation.run [--share N] [--only TEXT] [--again] [--report PAGE]    (in `tests`)

Each mutant has a process of its own, forked before anything of the product is imported. What came
of it is kept in `.mutants.jsonl`; the same mutant of an unchanged module is not run again, so that
a run may be ended at any time and goes on where it was. `--share 10` runs one mutant in ten,
`--only transfer.py` those with that in their name, `--again` also those that survived before.
"""

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import hypothesis  # noqa: F401 - imported once, before the processes are forked
import pytest
from support.mutation.mutants import Mutant, mutants_of
from support.mutation.report import Outcome, page

ROOT = Path(__file__).parents[3]
KEPT = ROOT / ".mutants.jsonl"
SOURCES = ROOT / "libs/fes/src"
GATEWAY = SOURCES / "fes/gateway"
ADAPTER = SOURCES / "fes/adapter"
CUSTODY_PATH = (
    "outbound/confirmations.py",
    "inbound/acknowledgements.py",
    "outbound/order_queue.py",
    "inbound/receiver.py",
)
"""Modules of the adapter that custody passes."""

SEEDS = 30
"""Federations that a mutant which no test notices is played with."""

LONGEST_S = 180
"""A mutant that takes longer is noticed by that."""

NOTICED, SURVIVED, PLAYED = 1, 0, 10
"""What a process ends with."""


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Has one module be imported as its mutant.

    Args:
        name: The module, e.g. `fes.gateway.custody.lane`.
        path: Its file.
        source: What is imported in its place.
    """

    def __init__(self, name: str, path: Path, source: str) -> None:
        self._name, self._path, self._source = name, path, source

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the module; None for all others."""
        del path, target
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._path, loader=self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Have the module be made as usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        exec(compile(self._source, str(self._path), "exec"), module.__dict__)  # noqa: S102 - the mutant is the module


def files() -> list[Path]:
    """Return the modules that are changed."""
    return [*sorted(GATEWAY.rglob("*.py")), *(ADAPTER / name for name in CUSTODY_PATH)]


def tests_of(path: Path) -> list[str]:
    """Return the folders of the tests that judge a module."""
    folders = ["gateway"] if path.is_relative_to(GATEWAY) else ["adapter", "link"]
    return [str(ROOT / "tests/unit" / folder) for folder in folders]


def tried(mutant: Mutant, path: Path) -> str:
    """Run a mutant; return `caught`, `caught by seeds`, `caught by time` or `survived`."""
    child = os.fork()
    if child == 0:
        os._exit(_judge(mutant, path))
    code = None
    try:
        code = _ended(child)
    finally:
        if code is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return {None: "caught by time", SURVIVED: "survived", PLAYED: "caught by seeds"}.get(
        code, "caught"
    )


def _ended(child: int) -> int | None:
    """Wait for a process; return its exit code, None where it takes too long."""
    until_s = time.monotonic() + LONGEST_S
    while time.monotonic() < until_s:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    return None


def _judge(mutant: Mutant, path: Path) -> int:
    """In a process of its own: run the tests, then some seeds."""
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    name = ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    if mutant.kind:
        sys.meta_path.insert(0, Changed(name, path, mutant.source(path)))
    os.chdir(ROOT)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    try:
        if pytest.main([*options, *tests_of(path)]) != 0:
            return NOTICED
        from support.play.ranges import play_seeds  # noqa: PLC0415 - the mutant stands in its place now

        return PLAYED if play_seeds("federations", range(SEEDS)).broken else SURVIVED
    except BaseException:  # noqa: BLE001 - whatever goes wrong shows that it was noticed
        return NOTICED


def main(arguments: Sequence[str]) -> int:
    """Run mutants and write the page; return 1 where one survives that no reason excuses."""
    asked = _parsed(arguments)
    kept = _read()
    every = [(mutant, path) for path in files() for mutant in mutants_of(path)]
    counts = dict.fromkeys((path.name for path in files()), 0)
    counts |= Counter(path.name for _, path in every)
    chosen = [
        (mutant, path)
        for mutant, path in every
        if asked.only in mutant.name and zlib.crc32(mutant.name.encode()) % asked.share == 0
    ]
    for path in dict.fromkeys(path for _, path in chosen):
        _say(f"{path.name}: {sum(each is path for _, each in chosen)} mutants")
    with KEPT.open("a", encoding="utf-8") as journal, contextlib.suppress(KeyboardInterrupt):
        sound: set[str] = set()
        for number, (mutant, path) in enumerate(chosen, 1):
            known = kept.get(mutant.name)
            if known and known.of == mutant.of and not (asked.again and not known.caught):
                continue
            tests = " ".join(tests_of(path))
            if (
                tests not in sound
                and tried(Mutant(path.name, "", 0, 0, "", ""), path) != "survived"
            ):
                _say(f"without a change the tests of {path.name} fail: nothing can be told")
                return 2
            sound.add(tests)
            outcome = Outcome(mutant.module, mutant.name, mutant.of, tried(mutant, path))
            kept[mutant.name] = outcome
            journal.write(json.dumps(outcome.__dict__) + "\n")
            journal.flush()
            _say(f"{number}/{len(chosen)} {outcome.became}: {mutant.name}")
    now = {mutant.name: mutant for mutant, _ in every}
    outcomes = [each for each in kept.values() if each.name in now and now[each.name].of == each.of]
    text, unexcused = page(outcomes, counts)
    if asked.report:
        Path(asked.report).write_text(text, "utf-8")
    _say(text.split("## ")[0])
    return 1 if unexcused else 0


def _read() -> dict[str, Outcome]:
    lines = KEPT.read_text("utf-8").splitlines() if KEPT.exists() else []
    return {outcome.name: outcome for outcome in (Outcome(**json.loads(line)) for line in lines)}


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="support.mutation.run", description=__doc__)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", default="")
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
