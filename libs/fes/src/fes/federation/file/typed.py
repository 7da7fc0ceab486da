"""The type of each place in the file, and the value of a variable's text there.

The text of a variable is never read as YAML where text is expected, so that `town #2` and `a: b`
stay unchanged.
"""

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from fes.federation.file.finding import Path
from fes.federation.file.scalar import plain_value
from fes.federation.file.structure import bare
from fes.federation.file.tree import Node, Scalar, child
from fes.federation.kinds import Kind, installed_kinds
from fes.federation.model import Federation
from fes.federation.names import Name

Kinds = Callable[[], Mapping[str, Kind]]

_COLLECTIONS = (dict, list, tuple)


def type_at(tree: Node, path: Path, kinds: Kinds = installed_kinds) -> Any:
    """Return the type that the model specifies at a place; Any where it is not known.

    Args:
        tree: The file's values, which determine the kind of event service of settings.
        path: The place.
        kinds: Returns the kinds that an adapter is installed for; called for settings only.
    """
    kind: Any = Federation
    for at, step in enumerate(path):
        kind = _member(bare(kind), step)
        if step == "settings" and kind is not Any:
            settings = _settings(tree, path[:at], kinds)
            kind = kind if settings is None else settings
    return bare(kind)


def value_of(text: str, kind: Any) -> Scalar | None:
    """Return the value of a variable's text where a single value is expected.

    Args:
        text: The variable's text.
        kind: As returned by `type_at`; not a collection.

    Returns:
        The text itself where text is allowed; a number or a truth value where only that is. Other
        text stays text, so that the check of the form reports it.
    """
    if kind is Name or kind is str:
        return text
    plain = _plain(text.strip())
    if get_origin(kind) is Literal:
        return plain if plain in get_args(kind) and not isinstance(plain, bool) else text
    if get_origin(kind) in (Union, UnionType):
        arms = get_args(kind)
        fits = any(_fits(plain, arm) for arm in arms)
        return plain if fits else text
    return text if plain is None or isinstance(plain, str) else plain


def is_collection(kind: Any) -> bool:
    """Return whether a type is a mapping or a list."""
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return is_struct or kind in _COLLECTIONS or get_origin(kind) in _COLLECTIONS


def _fits(value: Scalar, kind: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return kind is type(value)
    return kind is type(value) or (kind is float and isinstance(value, int))


def _plain(text: str) -> Scalar:
    try:
        return plain_value(text)
    except ValueError:
        return text


def _member(kind: Any, step: str | int) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        return fields.get(str(step), Any)
    if get_origin(kind) is dict:
        return get_args(kind)[1]
    if get_origin(kind) in (tuple, list):
        return get_args(kind)[0]
    return Any


def _settings(tree: Node, path: Path, kinds: Kinds) -> type[msgspec.Struct] | None:
    """Return the type of the settings of an event service, or of an adapter to one."""
    service = path[-1] if path else ""
    found: Node | None = tree
    for step in ("event_services", service, "kind"):
        found = child(found, step) if found else None
    name = found.value if found else None
    known = kinds().get(name) if isinstance(name, str) else None
    return known.settings if known else None
