"""Variables that set options, distinguished from those that a platform sets.

Kubernetes sets, for each Service of a namespace, `<NAME>_SERVICE_HOST`, `<NAME>_SERVICE_PORT`,
`<NAME>_PORT=tcp://10.43.7.12:8090` and more; Docker's links do the same. A Service with the name of
one of our programs would thus set that program's options.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

_ADDRESS: Final = re.compile(r"(?:tcp|udp|sctp)://\S+")
_OF_A_SERVICE: Final = re.compile(
    r"(?P<service>[A-Z][A-Z0-9_]*?)_(?:"
    r"SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?"
    r"|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?"
    r"|(?P<port>PORT))"
)


def is_platforms(name: str, environment: Mapping[str, str]) -> bool:
    """Return whether a platform set a variable to the address of one of its services.

    Args:
        name: The variable.
        environment: Variables of the process. A `<NAME>_PORT` that is not an address was set by a
            person.

    Source:
        Kubernetes documentation, "Service", "Environment variables"; Docker, legacy links.
    """
    match = _OF_A_SERVICE.fullmatch(name)
    if match is None:
        return False
    if match["port"]:
        return _ADDRESS.fullmatch(environment.get(name, "")) is not None
    return f"{match['service']}_SERVICE_HOST" in environment


def variable_of(prefix: str, option: str) -> str:
    """Return the variable of an option: `<prefix>LINK_PORT` of `--link-port`."""
    return prefix + option.strip("-").replace("-", "_").upper()


class Variable(str):
    """The text of a variable, with the variable's name.

    Attributes:
        name: The variable.
    """

    __slots__ = ("name",)

    name: str

    def __new__(cls, text: str, name: str) -> Self:
        """Return the text of a variable."""
        made = super().__new__(cls, text)
        made.name = name
        return made


def given(variable: str, environment: Mapping[str, str]) -> Variable | None:
    """Return the text of a variable; None where it is absent, empty, or a platform's.

    A platform's variable is ignored, with a note on standard error.
    """
    text = environment.get(variable)
    if not text:
        return None
    if is_platforms(variable, environment):
        sys.stderr.write(
            f"note: {variable}={text[:80]} is what a platform sets for a service, and no option\n"
        )
        return None
    return Variable(text, variable)


def add_option(
    parser: argparse.ArgumentParser,
    variable: str,
    environment: Mapping[str, str],
    option: str,
    kind: Callable[[str], Any],
    default: object,
    explain: str,
    *,
    required: bool = False,
) -> None:
    """Add an option that a variable sets where it is absent on the command line.

    Args:
        parser: The parser to which it is added.
        variable: The variable; errors in its value name it.
        environment: Variables of the process.
        option: As on the command line, `--link-port`.
        kind: Makes the value from text; its ValueError is reported.
        default: Value where neither the command line nor the environment has one.
        explain: Text for `--help`.
        required: Whether it is required.
    """
    text = given(variable, environment)
    parser.add_argument(
        option,
        type=_reader(kind),
        default=default if text is None else text,
        required=required and text is None,
        help=f"{explain} [{variable}]",
    )


def _reader(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> object:
        try:
            return kind(text if type(text) is str else str.__str__(text))
        except (ValueError, TypeError, OSError, argparse.ArgumentTypeError) as error:
            where = f"{text.name}: " if isinstance(text, Variable) else ""
            raise argparse.ArgumentTypeError(f"{where}{_reason(text, error)}") from error

    return read


def _reason(text: str, error: Exception) -> str:
    """Return what is wrong with a value, without Python's own message about numbers."""
    said = str(error)
    if said.startswith(("invalid literal for int", "could not convert")):
        return f"{str.__repr__(text)[:60]} is not a number"
    return said
