"""Variables in values: `${NAME}` and `${NAME:-default}`."""

import re
from collections.abc import Mapping

_ANY = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\Z", re.DOTALL)


def interpolate(text: str, environment: Mapping[str, str]) -> str:
    """Return `text` with its variables replaced.

    Args:
        text: `${NAME}`, `${NAME:-default}` (where the variable is absent or empty), and `$${` for
            a literal `${`. A `$` that no brace follows is an ordinary character.
        environment: Values by variable.

    Raises:
        ValueError: A variable has neither value nor default, or a brace is not well formed.
    """
    if "${" not in text:
        return text
    return _ANY.sub(lambda match: _value(match, environment), text)


def is_variable(text: str) -> bool:
    """Return whether a text is one variable and nothing else."""
    match = _ANY.fullmatch(text)
    return match is not None and match.group(1) is not None


def _value(match: re.Match[str], environment: Mapping[str, str]) -> str:
    inner, closed = match.groups()
    if inner is None:
        return "${"
    variable = _VARIABLE.match(inner)
    if not closed or variable is None:
        raise ValueError(f"expected ${{NAME}} or ${{NAME:-default}}, found {match.group()[:60]!r}")
    name, default = variable.groups()
    value = environment.get(name)
    if default is not None:
        return value or str(default)
    if value is None:
        raise ValueError(f"variable {name} is not set and has no default")
    return value
