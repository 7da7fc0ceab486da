"""Plain values in the shape that an Avro schema demands."""

from collections.abc import Mapping
from typing import Any, Final

from fes.errors import CodecError
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN
from fes.payload.losses import Losses
from fes.payload.reals import real

_WHOLES: Final = {"int": (INT32_MIN, INT32_MAX), "long": (INT64_MIN, INT64_MAX)}
_TEXTS: Final = {"boolean": bool, "string": str, "bytes": bytes}
_ORDER: Final[dict[type, tuple[str, ...]]] = {
    bool: ("boolean",),
    int: ("int", "long", "double", "float"),
    float: ("double", "float"),
    str: ("string", "enum"),
    bytes: ("bytes", "fixed"),
    list: ("array",),
    dict: ("record", "map"),
}
"""Which branch of a union has a value: the first that may."""


class Shaper:
    """Shapes values.

    Args:
        schema: Of a record; without logical types, its names full.
        losses: Counts what has no place.
    """

    def __init__(self, schema: Any, losses: Losses) -> None:
        self._schema = schema
        self._losses = losses
        self._known: dict[str, Any] = {}
        self._note(schema)

    def record(self, value: Mapping[str, Any]) -> Any:
        """Return a record's value.

        Raises:
            CodecError: It does not fit; the message names the field.
        """
        return self._record(self._schema, value, "")

    def _note(self, schema: Any) -> None:
        if isinstance(schema, list):
            for each in schema:
                self._note(each)
        elif isinstance(schema, dict):
            if "name" in schema:
                self._known[schema["name"]] = schema
            for key in ("items", "values"):
                self._note(schema.get(key))
            for field in schema.get("fields", ()):
                self._note(field["type"])

    def _shape(self, schema: Any, value: Any, place: str) -> Any:
        if isinstance(schema, list):
            return self._branch(schema, value, place)
        found = self._known.get(schema, schema) if isinstance(schema, str) else schema
        kind = found["type"] if isinstance(found, dict) else found
        made: Any = value
        match kind:
            case "record" if isinstance(value, dict):
                made = self._record(found, value, f"{place}.")
            case "map" if isinstance(value, dict):
                made = {k: self._shape(found["values"], v, place) for k, v in value.items()}
            case "array" if isinstance(value, list):
                made = [self._shape(found["items"], each, place) for each in value]
            case "float" | "double" if _is_number(value):
                made = real(value, place, self._losses, single=kind == "float")
            case _ if not _is_scalar(kind, found, value):
                raise CodecError(f"{place}: the schema has type {kind!r}, found {value!r:.40}")
        return made

    def _record(self, schema: Any, value: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for field in schema["fields"]:
            name, type_ = field["name"], field["type"]
            if name in value:
                made[name] = self._shape(type_, value[name], f"{prefix}{name}")
            elif isinstance(type_, list) and "null" in type_:
                made[name] = None
            elif "default" not in field:
                raise CodecError(f"{prefix}{name}: the schema needs this field")
        self._losses.fields_lost += len(value.keys() - {each["name"] for each in schema["fields"]})
        return made

    def _branch(self, union: list[Any], value: Any, place: str) -> Any:
        if value is None and "null" in union:
            return None
        for kind in _ORDER.get(type(value), ()):
            for branch in union:
                found = self._known.get(branch, branch) if isinstance(branch, str) else branch
                if kind != (found["type"] if isinstance(found, dict) else found):
                    continue
                if not self._fits(found, value):
                    continue
                shaped = self._shape(branch, value, place)
                name = found["name"] if kind == "record" else kind
                is_named = kind in ("record", found)
                return (name, shaped) if is_named else shaped
        raise CodecError(f"{place}: no branch of the union has {value!r:.40}")

    def _fits(self, schema: Any, value: Any) -> bool:
        """Return whether a branch of the right kind can have a value."""
        kind = schema["type"] if isinstance(schema, dict) else schema
        match kind:
            case "int":
                return bool(INT32_MIN <= value <= INT32_MAX)
            case "enum":
                return bool(value in schema["symbols"])
            case "fixed":
                return bool(len(value) == schema["size"])
            case "record":
                needed = {
                    each["name"]
                    for each in schema["fields"]
                    if "default" not in each
                    and not (isinstance(each["type"], list) and "null" in each["type"])
                }
                names = {each["name"] for each in schema["fields"]}
                return bool(needed <= value.keys() <= names)
        return True


def _is_scalar(kind: str, schema: Any, value: Any) -> bool:
    """Return whether a value is of a type that needs no other form."""
    match kind:
        case "enum":
            return isinstance(value, str) and value in schema["symbols"]
        case "fixed":
            return isinstance(value, bytes) and len(value) == schema["size"]
        case "int" | "long":
            low, high = _WHOLES[kind]
            return _is_whole(value) and bool(low <= value <= high)
    return kind in _TEXTS and isinstance(value, _TEXTS[kind])


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, float)
