"""The JSON Schema of the federation file, for editors: `python -m fes.federation.schema`."""

import json
import sys
from typing import Any

import msgspec

from fes.federation.model import Federation

_VARIABLE = {"type": "string", "pattern": r"^\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}$"}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12), generated from the model."""
    (top,), components = msgspec.json.schema_components([Federation], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "federation.yaml",
        **top,
        "$defs": {name: _with_variables(part) for name, part in components.items()},
    }


def schema_text() -> str:
    """Return the schema as the text of the committed file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _with_variables(part: Any) -> Any:
    """Allow `${NAME}` where a number or a truth value is expected."""
    if isinstance(part, list):
        return [_with_variables(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") in ("integer", "number", "boolean"):
        outer = {key: part[key] for key in ("default",) if key in part}
        inner = {key: value for key, value in part.items() if key not in outer}
        return {"anyOf": [inner, _VARIABLE], **outer}
    return {key: _with_variables(value) for key, value in part.items()}


if __name__ == "__main__":
    sys.stdout.write(schema_text())
