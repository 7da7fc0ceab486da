"""The JSON Schema of mapping rules, for editors and for the federation file's schema."""

from typing import Any

import msgspec

from fes.mapping.rules.model import Rule


def rules_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a list of rules."""
    return msgspec.json.schema(tuple[Rule, ...])
