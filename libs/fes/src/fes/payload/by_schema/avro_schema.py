"""Avro schemas: read from a file, without logical types, and refused where nothing bounds them.

Source:
    Apache Avro 1.12.0 specification: schema declaration, names.
"""

from typing import Any, Final

from fes.errors import CodecError
from fes.model.strict import parse_json
from fes.payload.by_schema.schemas import MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS

_PRIMITIVES: Final = frozenset(
    ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
)
_NAMED: Final = ("record", "error", "enum", "fixed")


def read_record_schema(text: bytes) -> Any:
    """Return the schema of a record as plain data, its names full.

    Raises:
        CodecError: It is none, is recursive, too large, or has values without octets.
    """
    return _Reader().record(text)


class _Reader:
    """Reads a schema, strips logical types, and refuses what has no bound."""

    def __init__(self) -> None:
        self._left = MAX_SCHEMA_FIELDS
        self._known: dict[str, tuple[Any, int]] = {}
        self._open: list[str] = []

    def record(self, text: bytes) -> Any:
        """Return the schema of a record as plain data.

        Raises:
            CodecError: It is none.
        """
        try:
            plain = parse_json(text.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise CodecError(f"not UTF-8: {error}") from error
        found = self._type(plain, "", 1)
        if not isinstance(found, dict) or found.get("type") != "record":
            raise CodecError("the schema is that of a record")
        return found

    def _type(self, plain: Any, space: str, depth: int) -> Any:
        if depth > MAX_SCHEMA_DEPTH:
            raise CodecError(f"nested deeper than {MAX_SCHEMA_DEPTH}")
        if isinstance(plain, str):
            return self._named(plain, space)
        if isinstance(plain, list):
            return [self._type(each, space, depth) for each in plain]
        if not isinstance(plain, dict):
            raise CodecError(f"a type is a text, a list or an object, found {plain!r:.40}")
        kind = plain.get("type")
        if kind in _NAMED:
            return self._defined(plain, space, depth)
        if kind == "array":
            items = self._type(plain.get("items"), space, depth + 1)
            self._check_room(items, "the items of an array")
            return {"type": "array", "items": items}
        if kind == "map":
            return {"type": "map", "values": self._type(plain.get("values"), space, depth + 1)}
        return self._type(kind, space, depth + 1)  # a primitive, less its logical type

    def _named(self, name: str, space: str) -> Any:
        if name in _PRIMITIVES:
            return name
        full = name if "." in name or not space else f"{space}.{name}"
        if full in self._open:
            raise CodecError(f"{full} is recursive")
        if full not in self._known:
            raise CodecError(f"type {full[:80]!r} is not known")
        self._spend(self._known[full][1])
        return full

    def _defined(self, plain: dict[str, Any], space: str, depth: int) -> Any:
        name = plain.get("name")
        if not isinstance(name, str) or not name:
            raise CodecError(f"a {plain['type']} needs a name")
        given = plain.get("namespace", space)
        full = name if "." in name or not given else f"{given}.{name}"
        made: dict[str, Any] = {"type": plain["type"], "name": full}
        made |= {key: plain[key] for key in ("symbols", "size", "default") if key in plain}
        before = self._left
        if plain["type"] in ("record", "error"):
            self._open.append(full)
            made["type"] = "record"
            made["fields"] = [self._field(each, full, depth) for each in _list(plain, "fields")]
            self._open.pop()
        self._known[full] = made, before - self._left
        return made

    def _field(self, plain: Any, owner: str, depth: int) -> dict[str, Any]:
        if not isinstance(plain, dict) or not isinstance(plain.get("name"), str):
            raise CodecError(f"a field of {owner} needs a name")
        self._spend(1)
        space = owner.rpartition(".")[0]
        made = {"name": plain["name"], "type": self._type(plain.get("type"), space, depth + 1)}
        self._check_room(made["type"], f"field {plain['name']!r:.80}")
        return made | ({"default": plain["default"]} if "default" in plain else {})

    def _check_room(self, schema: Any, what: str) -> None:
        """Refuse values without octets, as a payload of any size may have any number of them."""
        is_known = isinstance(schema, str) and schema in self._known
        found = self._known[schema][0] if is_known else schema
        kind = found.get("type") if isinstance(found, dict) else found
        fixed = kind == "fixed" and found.get("size") == 0
        if kind == "null" or fixed or (kind == "record" and not found["fields"]):
            raise CodecError(f"{what}: values without octets have no bound")

    def _spend(self, fields: int) -> None:
        self._left -= fields
        if self._left < 0:
            raise CodecError(f"more than {MAX_SCHEMA_FIELDS} fields")


def _list(plain: dict[str, Any], key: str) -> list[Any]:
    found = plain.get(key)
    if not isinstance(found, list):
        raise CodecError(f"{key} is a list, found {found!r:.40}")
    return found
