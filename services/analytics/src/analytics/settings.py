"""Settings: the command line, and the environment for what it leaves out."""

import argparse
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from serving.text import read_text
from serving.variables import add_option, given, variable_of

from analytics.errors import SettingError
from analytics.spark.session import LOOPBACK, SparkOptions

PREFIX: Final = "ANALYTICS_"
DEFAULT_RUN: Final = "runs/latest"
DEFAULT_PORT: Final = 8100

_MASTER = re.compile(r"local(\[(\d+|\*)(,\d+)?\])?|spark://[^\s/]+|k8s://\S+|yarn")
_MEMORY = re.compile(r"[1-9]\d*[kmg]")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise an error whose message is one line."""
        raise SettingError(message)


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
    """Return the settings of a command.

    `ANALYTICS_RUN`, `…_MASTER` and so on represent what is not given; `--help` shows them.

    Raises:
        SettingError: A setting is unknown or not valid.
    """
    parser = _Parser(prog="fes-analytics", description="Judge a run of a federation.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    verify = commands.add_parser("verify", help="prove or disprove each promise for one run")
    verify.add_argument("--no-html", dest="html", action="store_false", help="write no report.html")
    _add_common(verify, environment, heap="2g")
    scopes = commands.add_parser("scopes", help="judge what any federation promises of scopes")
    _add_common(scopes, environment, heap="2g")
    serve = commands.add_parser("serve", help="judge a run while it goes on, and show the verdict")
    _add_common(serve, environment, heap="640m")
    _add_serve(serve, environment)
    return parser.parse_args(arguments)


def spark_options(given: argparse.Namespace) -> SparkOptions:
    """Return how Spark is run."""
    return SparkOptions(given.master, given.driver_host, given.heap, given.spark_conf)


def _add_common(parser: argparse.ArgumentParser, environment: Mapping[str, str], heap: str) -> None:
    run = str(given(f"{PREFIX}RUN", environment) or DEFAULT_RUN)
    explain = f"where the run leaves its files: a folder or a URI [{PREFIX}RUN]"
    parser.add_argument("run", nargs="?", default=run, metavar="RUN", help=explain)
    add = _adder(parser, environment)
    add("--master", _master, "local[2]", "Spark's master")
    add("--driver-host", str, LOOPBACK, "what executors on other machines call this one")
    add("--heap", _memory, heap, "memory of the driver's Java")
    add("--spark-conf", _conf, None, "file of further settings of Spark's, `key value` a line")


def _add_serve(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    add = _adder(parser, environment)
    add("--http-host", str, LOOPBACK, "address to listen on")
    add("--http-port", _port, DEFAULT_PORT, "port to listen on; 0 for a free one")
    add("--checkpoint", str, None, "folder or URI for what it remembers; `analytics` in the run")
    add("--trigger-s", _seconds, 10.0, "seconds from one batch to the next")
    add("--settle-s", _seconds, 20.0, "seconds that an event must be old to be judged")
    add("--idle-s", _seconds, 30.0, "seconds without growth after which the run has ended")
    add("--keep-events", _count, 200_000, "events whose lines are kept")


def _adder(
    parser: argparse.ArgumentParser, environment: Mapping[str, str]
) -> Callable[[str, Callable[[str], Any], object, str], None]:
    def add(option: str, kind: Callable[[str], Any], default: object, explain: str) -> None:
        variable = variable_of(PREFIX, option)
        value = {} if kind is _conf else default
        add_option(parser, variable, environment, option, kind, value, explain)

    return add


def _master(text: str) -> str:
    if not _MASTER.fullmatch(text):
        raise ValueError(f"{text!r} is no master of Spark's")
    return text


def _memory(text: str) -> str:
    if not _MEMORY.fullmatch(text):
        raise ValueError(f"{text!r} is no amount of memory, such as 640m")
    return text


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise ValueError(f"{text!r} is no port")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 86_400:
        raise ValueError(f"{text!r} is not above 0 and at most 86400 seconds")
    return value


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1000 <= int(text) <= 2_000_000):
        raise ValueError(f"{text!r} is not from 1000 to 2000000")
    return int(text)


def _conf(text: str) -> dict[str, str]:
    """Read a file of settings; a value `@PATH` is the text of that file, for secrets."""
    found = {}
    path = Path(text)
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if not key.startswith("spark.") or not value.strip():
            raise ValueError(f"{path}:{number}: expected `spark.… value`")
        found[key] = _value(value.strip(), path, number)
    return found


def _value(text: str, path: Path, number: int) -> str:
    if not text.startswith("@"):
        return text
    try:
        return read_text(Path(text[1:])).strip()
    except OSError as error:
        raise ValueError(f"{path}:{number}: {text[1:]} cannot be read") from error
