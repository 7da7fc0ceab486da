"""Loads a federation file: text, variables, overrides, form, references."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from fes.errors import FederationError
from fes.federation.address import anchored
from fes.federation.checks import check_references
from fes.federation.file.finding import Finding, InvalidFederationError, Severity, has_errors
from fes.federation.file.override import override
from fes.federation.file.read import MAX_BYTES, read
from fes.federation.file.structure import check_structure
from fes.federation.file.tree import Node, Report
from fes.federation.model import Federation

Struct = TypeVar("Struct", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read, valid or not.

    Attributes:
        federation: Its content; None where its form is not valid.
        tree: Its values and their places; None where it is not YAML.
        findings: Errors and warnings, in the order of the file.
    """

    federation: Federation | None
    tree: Node | None
    findings: tuple[Finding, ...]


def load(path: Path, environment: Mapping[str, str]) -> Federation:
    """Return the federation that a file describes.

    Args:
        path: The file, at most 1 MiB; UTF-8, or UTF-16 with a byte order mark.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.

    Raises:
        InvalidFederationError: The file is not valid; it contains all errors.
        FederationError: The file cannot be read.
    """
    federation = _valid(examine(read_bytes(path), str(path), environment))
    return anchored(federation, path.resolve().parent)


def loads(
    text: str | bytes, environment: Mapping[str, str], file: str = "federation.yaml"
) -> Federation:
    """Return the federation that a text describes.

    Args:
        text: Content of a file.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
        file: Name of the text in findings.

    Raises:
        InvalidFederationError: The text is not valid; it contains all errors.
    """
    return _valid(examine(text, file, environment))


def examine(text: str | bytes, file: str, environment: Mapping[str, str]) -> Document:
    """Return the content of a text and all that is wrong with it, without raising.

    Args:
        text: Content of a file.
        file: Name of the text in findings.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    tree, findings = read(data, file, environment)
    if tree is None:
        return Document(None, None, tuple(findings))
    tree, more = override(tree, environment)
    report = Report(tree)
    check_structure(report, tree, Federation)
    findings += [*more, *report.findings]
    if findings:
        return Document(None, tree, in_order(findings))
    federation = msgspec.convert(report.tree.plain(), Federation)
    check_references(federation, report)
    return Document(federation, report.tree, in_order(report.findings))


def struct_of(data: bytes, file: str, kind: type[Struct]) -> Struct:
    """Return the Struct that another YAML file of ours describes.

    Args:
        data: The file's bytes, which the caller bounds.
        file: Its name in findings.
        kind: A Struct of Structs, dicts, tuples and single values.

    Raises:
        InvalidFederationError: It is not valid; all errors, each with its place.
    """
    tree, findings = read(data, file, None, len(data))
    if tree is None:
        raise InvalidFederationError(findings)
    report = Report(tree)
    check_structure(report, tree, kind)
    findings += report.findings
    if findings:
        raise InvalidFederationError(in_order(findings))
    try:
        return msgspec.convert(report.tree.plain(), kind)
    except msgspec.ValidationError as error:
        finding = Finding(Severity.ERROR, file, None, "", str(error))
        raise InvalidFederationError([finding]) from error


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes, at most one more than the limit.

    Raises:
        FederationError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FederationError(f"cannot be read: {reason}", str(path)) from error


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of the file, each once; those without a place first."""

    def position(finding: Finding) -> tuple[int, int]:
        return (finding.place.line, finding.place.column) if finding.place else (0, 0)

    return tuple(dict.fromkeys(sorted(findings, key=position)))


def _valid(document: Document) -> Federation:
    if document.federation is None or has_errors(document.findings):
        raise InvalidFederationError(document.findings)
    return document.federation
