"""A cheap look at a constraint before it is parsed: its size, its nesting, its strings.

A hostile constraint is refused here, in time linear in the limit and not in its own length.
"""

import re
from dataclasses import dataclass

from eventservices.cns.etcl.errors import InvalidConstraintError


@dataclass(frozen=True, slots=True)
class EtclLimits:
    """What a constraint may be.

    Attributes:
        length_bytes: Encoded as UTF-8.
        depth: Parentheses inside one another.
    """

    length_bytes: int = 16 * 1024
    depth: int = 64


DEFAULT_LIMITS = EtclLimits()

_PART = re.compile(r"'(?:[^'\\]|\\.)*+'|[()']", re.DOTALL)


def scan(text: str, limits: EtclLimits) -> None:
    """Raise an error where a constraint exceeds a limit, or a string in it has no end.

    Raises:
        InvalidConstraintError: The message names the limit, or the place.
    """
    _check_length(text, limits)
    depth = 0
    for part in _PART.finditer(text):
        if part.group() == "'":
            raise InvalidConstraintError(
                "the string that begins here has no end", text, part.start()
            )
        depth += {"(": 1, ")": -1}.get(part.group(), 0)
        if depth > limits.depth:
            reason = f"constraint is nested deeper than {limits.depth}"
            raise InvalidConstraintError(reason, text, part.start())


def _check_length(text: str, limits: EtclLimits) -> None:
    size = len(text)
    if size <= limits.length_bytes:
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise InvalidConstraintError("constraint is not Unicode (lone surrogate)") from error
    if size > limits.length_bytes:
        raise InvalidConstraintError(f"constraint is longer than {limits.length_bytes} bytes")
