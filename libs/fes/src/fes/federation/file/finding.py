"""Findings: what is wrong, or doubtful, in a federation file, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fes.errors import FederationError, Place

Path = tuple[str | int, ...]
"""Keys and list indexes from the top of the file to a value."""


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or doubtful.

    Attributes:
        severity: An error makes the file invalid, a warning does not; info is reported only on
            request.
        file: Name of the file, or of the environment variable that the value came from.
        place: Line and column; None where the whole file is meant.
        key: Path of the key, e.g. `gateways.g1.adapters`.
        message: What was found and what was expected.
    """

    severity: Severity
    file: str
    place: Place | None
    key: str
    message: str

    def __str__(self) -> str:
        """Return `file:line:column: key: message`, which editors and people read."""
        where = f"{self.file}:{self.place.line}:{self.place.column}" if self.place else self.file
        marked = "" if self.severity is Severity.ERROR else f"{self.severity}: "
        return f"{where}: {marked}{self.key + ': ' if self.key else ''}{self.message}"


class InvalidFederationError(FederationError):
    """Raised when a federation file is not valid; contains all errors, not only the first.

    Args:
        findings: At least one error; the first determines `reason`, `file`, `place` and `key`.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = next(finding for finding in findings if finding.severity is Severity.ERROR)
        super().__init__(first.message, first.file, first.place, first.key)
        self.findings = tuple(findings)

    def __str__(self) -> str:
        """Return all findings, one a line."""
        return "\n".join(str(finding) for finding in self.findings)


def key_text(path: Path) -> str:
    """Return a path as text, such as `requests[0].filter`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def has_errors(findings: Sequence[Finding]) -> bool:
    """Return whether at least one finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)
