"""Reads mapping rules from plain values, strictly."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from fes.errors import FederationError, MappingError
from fes.mapping.rules.compile import compile_rule
from fes.mapping.rules.model import FieldRule, Rule

RULES_MAX: Final = 10_000
"""Most rules of a list."""

_SECTIONS = ("parameters", "attributes")


def load_rules(plain: Sequence[Any], base: Path, key: str = "") -> tuple[Rule, ...]:
    """Return the rules of a list, checked as far as possible without events.

    Args:
        plain: The list, as read from YAML or JSON.
        base: Folder to which DBC files are relative.
        key: Path of the list, for errors: `mappings.can-speed`.

    Returns:
        The rules, with complete paths of DBC files.

    Raises:
        FederationError: A key is unknown, missing or ill-typed, or a rule cannot work; `key` is
            the path of the value.
    """
    if not isinstance(plain, list | tuple):
        raise FederationError(f"expected a list of rules, found {_kind(plain)}", key=key)
    if len(plain) > RULES_MAX:
        raise FederationError(f"{len(plain)} rules, more than {RULES_MAX}", key=key)
    rules = tuple(_rule(item, f"{key}[{at}]") for at, item in enumerate(plain))
    return bind_rules(rules, base, key)


def bind_rules(rules: Sequence[Rule], base: Path, key: str = "") -> tuple[Rule, ...]:
    """Check that rules work, and return them with complete paths of their DBC files.

    Args:
        rules: Already decoded.
        base: Folder to which DBC files are relative.
        key: Path of the list, for errors.

    Raises:
        FederationError: A rule cannot work: its DBC file, message, signal or plug-in is not there,
            or values would lose digits; `key` is the path of the rule.
    """
    bound = tuple(_bound(rule, base) for rule in rules)
    for at, rule in enumerate(bound):
        try:
            compile_rule(rule, at, None)
        except MappingError as error:
            raise FederationError(str(error), key=f"{key}[{at}]") from error
    return bound


def _bound(rule: Rule, base: Path) -> Rule:
    if rule.dbc is None:
        return rule
    return structs.replace(rule, dbc=structs.replace(rule.dbc, file=str(base / rule.dbc.file)))


def _rule(plain: Any, key: str) -> Rule:
    try:
        return msgspec.convert(plain, Rule)
    except msgspec.ValidationError as error:
        _blame_field(plain, key)
        raise _refused(error, key) from error


def _blame_field(plain: Any, key: str) -> None:
    """Raise the error of the first field that is wrong: msgspec's path leaves out its name."""
    for section in _SECTIONS:
        fields = plain.get(section) if isinstance(plain, Mapping) else None
        for name, value in fields.items() if isinstance(fields, Mapping) else ():
            try:
                msgspec.convert(value, FieldRule)
            except msgspec.ValidationError as error:
                raise _refused(error, f"{key}.{section}.{name}") from error


def _refused(error: msgspec.ValidationError, key: str) -> FederationError:
    reason, _, path = str(error).partition(" - at `$")
    return FederationError(reason, key=key + path.removesuffix("`"))


def _kind(plain: Any) -> str:
    return "an object" if isinstance(plain, Mapping) else f"a {type(plain).__name__}"
