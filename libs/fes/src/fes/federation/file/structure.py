"""Checks a tree against the model: every fault of form, each at its own place."""

from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from fes.federation.file.finding import Path
from fes.federation.file.tree import Node, Report
from fes.federation.names import Name, fault_of, hint

_WORDS = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "dict": "a mapping",
    "list": "a list",
}


def check_structure(
    report: Report, node: Node, kind: Any, path: Path = (), *, partial: bool = False
) -> None:
    """Report every place at which a node is not of a type.

    Args:
        report: Collects the findings.
        node: A value of the file.
        kind: A Struct, dict, tuple, Literal or Annotated type of the model.
        path: Where the node is.
        partial: Whether required members may be missing.
    """
    plain = bare(kind)
    if node.value is None and _allows_nothing(kind):
        return
    if plain is Name:
        _check_name(report, node, path)
    elif _is_struct(plain):
        _check_struct(report, node, plain, path, partial=partial)
    elif get_origin(plain) is dict:
        _check_dict(report, node, plain, path)
        _check_size(report, node, kind, path)
    elif get_origin(plain) is tuple and get_args(plain)[1:] == (...,):
        _check_list(report, node, plain, path)
        _check_size(report, node, kind, path)
    elif get_origin(plain) is Literal:
        _check_choice(report, node, get_args(plain), path)
    else:
        _check_leaf(report, node, kind, path)


def bare(kind: Any) -> Any:
    """Return the type without its bounds, and without the type of absent values."""
    if get_origin(kind) is Annotated and kind is not Name:
        return bare(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        arms = [arm for arm in get_args(kind) if arm not in (UnsetType, NoneType)]
        return bare(arms[0]) if len(arms) == 1 else kind
    return kind


def _allows_nothing(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _allows_nothing(get_args(kind)[0])
    return kind is Any or kind is NoneType or NoneType in get_args(kind)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _check_struct(
    report: Report, node: Node, kind: type[msgspec.Struct], path: Path, *, partial: bool
) -> None:
    members = _mapping(report, node, path)
    if members is None:
        return
    before = len(report.findings)
    fields = _fields(kind)
    for key, member in members.items():
        if key in fields:
            check_structure(report, member, fields[key].type, (*path, key), partial=partial)
        else:
            report.error((*path, key), f"unknown key{hint(key, fields)}", member.key_place)
    for key, field in fields.items():
        if field.required and key not in members and not partial:
            report.error(path, f"key {key!r} is missing")
    if hasattr(kind, "__post_init__") and len(report.findings) == before and not partial:
        _check_whole(report, node, kind, path)


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return a Struct's fields by key; cached, one entry for each class."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _check_whole(report: Report, node: Node, kind: type[msgspec.Struct], path: Path) -> None:
    """Report what a Struct checks itself, over several of its members."""
    try:
        msgspec.convert(node.plain(), kind)
    except msgspec.ValidationError as error:
        report.error(path, str(error).split(" - at ")[0])


def _check_dict(report: Report, node: Node, kind: Any, path: Path) -> None:
    key_kind, value_kind = get_args(kind)
    for key, member in (_mapping(report, node, path) or {}).items():
        fault = fault_of(key) if key_kind is Name else None
        if fault:
            report.error((*path, key), fault, member.key_place)
        if value_kind is not Any:
            check_structure(report, member, value_kind, (*path, key))


def _check_list(report: Report, node: Node, kind: Any, path: Path) -> None:
    if not isinstance(node.value, list):
        report.error(path, f"expected a list, found {_found(node)}")
        return
    for at, item in enumerate(node.value):
        check_structure(report, item, get_args(kind)[0], (*path, at))


def _check_choice(report: Report, node: Node, choices: tuple[Any, ...], path: Path) -> None:
    value = node.value
    if any(value == choice and type(value) is type(choice) for choice in choices):
        return
    words = [str(choice) for choice in choices]
    near = hint(value, words) if isinstance(value, str) else ""
    report.error(path, f"expected {' or '.join(words)}, found {_found(node)}{near}")


def _check_name(report: Report, node: Node, path: Path) -> None:
    text = node.value if node.text is None else node.text
    if not isinstance(text, str):
        report.error(path, f"expected a name, found {_found(node)}")
    elif fault := fault_of(text):
        report.error(path, fault)
    elif text != node.value:
        report.take_text(path, node)


def _check_leaf(report: Report, node: Node, kind: Any, path: Path) -> None:
    fault = _fault(node.plain(), kind)
    if fault and node.text is not None and not _fault(node.text, kind):
        report.take_text(path, node)
    elif fault:
        report.error(path, f"{fault}, found {_found(node)}")


def _fault(value: Any, kind: Any) -> str:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return _reword(str(error))
    return ""


def _check_size(report: Report, node: Node, kind: Any, path: Path) -> None:
    """Check the bounds of a collection, once its members are known to be valid."""
    if not isinstance(node.value, list | dict):
        return
    count = len(node.value)
    for bound in get_args(kind)[1:] if get_origin(kind) is Annotated else ():
        most = getattr(bound, "max_length", None)
        if not count and getattr(bound, "min_length", None):
            report.error(path, "must not be empty")
        elif most is not None and count > most:
            report.error(path, f"has {count} members; at most {most}")


def _mapping(report: Report, node: Node, path: Path) -> dict[str, Node] | None:
    if isinstance(node.value, dict):
        return node.value
    report.error(path, f"expected a mapping, found {_found(node)}")
    return None


def _found(node: Node) -> str:
    value = node.value
    if isinstance(value, list | dict):
        return _WORDS[type(value).__name__]
    if value is None:
        return "nothing"
    return f"{value!r}"[:60]


def _reword(message: str) -> str:
    """Return a message of msgspec in the form of this module: `expected a number > 0.0`."""
    expected = message.split(" - at ", maxsplit=1)[0].partition(", got")[0]
    words = [_WORDS.get(word.strip("`"), word) for word in expected.replace("|", "or").split(" ")]
    return " ".join(words).replace("Expected", "expected", 1)
