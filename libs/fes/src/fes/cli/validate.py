"""`fes validate`: lists everything that is wrong with federation files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fes.errors import FederationError
from fes.federation import (
    Document,
    Finding,
    Kind,
    Severity,
    check,
    examine,
    has_errors,
    installed_kinds,
)
from fes.federation.checks.degraded import tell_degraded, tell_payloads
from fes.federation.checks.logins import find_files
from fes.federation.file.tree import Report
from fes.federation.load import in_order, read_bytes
from fes.mapping import Rule, load_rules
from fes.mapping.rules.clashes import Clash, clashes

if TYPE_CHECKING:
    import argparse

OK, INVALID, MISUSED = 0, 1, 2


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line of `fes`.

    The arguments arrive as `paths` and `report`.

    Args:
        subparsers: What `ArgumentParser.add_subparsers` returned.
    """
    parser = subparsers.add_parser(
        "validate",
        help="check federation files",
        description="Print one line for each thing that is wrong or doubtful. "
        "Status 0: no errors; 1: errors; 2: nothing was checked.",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="also list what is degraded: what events may request and their destination cannot do",
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="FILE", help="a federation file")


def validate(
    paths: Sequence[Path],
    environment: Mapping[str, str],
    out: TextIO,
    *,
    report: bool = False,
) -> int:
    """Print the findings of federation files, one a line.

    Args:
        paths: The files; without any the status is 2.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
        out: Receives the lines.
        report: Whether to report what is degraded, too.

    Returns:
        Exit status: 0 where no file has errors (warnings do not count), 1 where one has, 2 where
        there was nothing to check.
    """
    if not paths:
        out.write("fes validate: name at least one federation file\n")
        return MISUSED
    findings = [
        finding for path in paths for finding in examine_file(path, environment, report=report)
    ]
    out.writelines(_printable(str(finding)) + "\n" for finding in findings)
    if has_errors(findings):
        return INVALID
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    warnings = sum(finding.severity is Severity.WARNING for finding in findings)
    out.write(f"{files} checked: no errors, {warnings} warnings\n")
    return OK


def examine_file(
    path: Path, environment: Mapping[str, str], *, report: bool = False
) -> tuple[Finding, ...]:
    """Return what is wrong or doubtful in a file, also where it cannot be read.

    Args:
        path: The file.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
        report: Whether to report what is degraded, too.
    """
    try:
        data = read_bytes(path)
    except FederationError as error:
        return (Finding(Severity.ERROR, error.file, error.place, error.key, error.reason),)

    def try_rule(plain: object) -> object:
        return load_rules([plain], path.parent)

    def find_clashes(plain: Sequence[object]) -> Sequence[Clash]:
        return clashes(load_rules(plain, path.parent))

    document, kinds = examine(data, str(path), environment), installed_kinds()
    findings = check(document, kinds, Rule, try_rule, find_clashes)
    if has_errors(findings):
        return findings
    more = _degraded(document, kinds, path.parent, everything=report)
    return in_order([*findings, *more])


def _degraded(
    document: Document, kinds: Mapping[str, Kind], base: Path, *, everything: bool
) -> list[Finding]:
    if document.federation is None or document.tree is None:
        return []
    told = Report(document.tree)
    find_files(document.federation, told, base)
    tell_payloads(document.federation, told, kinds, base, losses=everything)
    if everything:
        tell_degraded(document.federation, told, kinds)
    return told.findings


def _printable(line: str) -> str:
    """Return a finding on one line, without control characters that a terminal would obey."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
