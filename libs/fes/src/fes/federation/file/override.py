"""Overrides from the environment: `FES__CLOCK__SPEED=20` sets `clock: {speed: 20}`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from serving.variables import is_platforms

from fes.federation.file.finding import Finding, Path, Severity, key_text
from fes.federation.file.read import MAX_DEPTH, read
from fes.federation.file.tree import Node, child, put
from fes.federation.file.typed import is_collection, type_at, value_of

PREFIX = "FES__"


def override(tree: Node, environment: Mapping[str, str]) -> tuple[Node, list[Finding]]:
    """Return the tree with the values of the environment.

    A part of a variable's name refers to the key that is equal to it, else to the one that is equal
    without regard to case and with `_` for everything that is not a letter or digit; a number
    refers to an item of a list; a missing key is added, in lower case. Where the model expects
    text, the variable's text is the value, whatever it contains; a mapping or a list is read as
    YAML or JSON.

    Variables that Kubernetes sets for a Service whose name begins with `fes--` are ignored.

    Args:
        tree: The file's values.
        environment: Values by variable; only names that begin with `FES__` matter.

    Returns:
        The new tree, and an error for each variable that cannot be applied.
    """
    findings: list[Finding] = []
    for name in sorted(environment):
        if not name.startswith(PREFIX) or is_platforms(name, environment):
            continue
        try:
            path = _path(tree, name.removeprefix(PREFIX).split("__"))
            value = _value(name, environment[name], tree, path, findings)
            tree = put(tree, path, value) if value else tree
        except KeyError as error:
            findings.append(_error(name, (), str(error.args[0])))
    return tree, findings


def _path(tree: Node, steps: list[str]) -> Path:
    path: list[str | int] = []
    node: Node | None = tree
    if len(steps) > MAX_DEPTH:
        raise KeyError(f"the name of the variable has more than {MAX_DEPTH} parts")
    for step in steps:
        if not step:
            raise KeyError("the name of the variable has an empty part")
        key = _key(node, step)
        path.append(key)
        node = child(node, key) if node else None
    return tuple(path)


def _key(node: Node | None, step: str) -> str | int:
    if node is None or node.value is None:
        return step.lower()
    if isinstance(node.value, list):
        return _index(len(node.value), step)
    if not isinstance(node.value, dict):
        raise KeyError(f"{step} would be inside a single value")
    if step in node.value:
        return step
    like = [key for key in node.value if _fold(key) == _fold(step)]
    if len(like) > 1:
        raise KeyError(f"{step} may mean {' or '.join(like)}")
    return like[0] if like else step.lower()


def _index(length: int, step: str) -> int:
    if not (step.isascii() and step.isdecimal() and int(step[:9]) < length):
        raise KeyError(f"{step} is not an item of a list of {length}")
    return int(step)


def _fold(key: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in key.lower())


def _value(name: str, text: str, tree: Node, path: Path, findings: list[Finding]) -> Node | None:
    try:
        text.encode()
    except UnicodeEncodeError:
        findings.append(_error(name, path, "the value is not UTF-8"))
        return None
    kind = type_at(tree, path)
    if is_collection(kind) or (kind is Any and text.lstrip().startswith(("{", "["))):
        return _collection(name, text, path, findings)
    value = value_of(text, kind)
    return Node(value, name, None, text=text if value != text else None)


def _collection(name: str, text: str, path: Path, findings: list[Finding]) -> Node | None:
    """Return the mapping or list that a variable contains as JSON or YAML."""
    if not text.strip():
        return Node("", name, None)
    node, found = read(text.encode(), name, None)
    prefix = key_text(path)
    findings += [replace(finding, place=None, key=prefix) for finding in found]
    return _nowhere(node) if node and not found else None


def _nowhere(node: Node) -> Node:
    """Remove the places within a variable's value: its name suffices."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _nowhere(member) for key, member in value.items()}
    elif isinstance(value, list):
        value = [_nowhere(item) for item in value]
    return Node(value, node.file, None, text=node.text)


def _error(name: str, path: Path, message: str) -> Finding:
    return Finding(Severity.ERROR, name, None, key_text(path), message)
