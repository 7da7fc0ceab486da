"""Finds the place in its file of an error of which only the key is known."""

import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Final

from fes.errors import FederationError, FesError
from fes.federation.file.finding import Path
from fes.federation.file.tree import Node, child, nearest
from fes.federation.load import examine, read_bytes

_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def located(error: FesError, path: FilePath, environment: Mapping[str, str]) -> FesError:
    """Return an error with the file, line and column of its key.

    A setting of an event service may be at one of its adapters instead, and is found there.

    Args:
        error: Any error; one without a key, or with a place, is returned unchanged.
        path: The federation file.
        environment: The environment with which the file was loaded.
    """
    if not isinstance(error, FederationError) or error.place is not None or not error.key:
        return error
    tree = examine(read_bytes(path), str(path), environment).tree
    if tree is None:
        return error
    at = _nearest(tree, _steps(error.key))
    return FederationError(error.reason, at.file, at.shown, error.key)


def _steps(key: str) -> Path:
    return tuple(int(number) if number else name for name, number in _STEP.findall(key))


def _nearest(tree: Node, path: Path) -> Node:
    """Return the node of a path, in the event service or in one of its adapters."""
    if path[:1] == ("event_services",) and len(path) > 3 and not _stands(tree, path):
        gateways = child(tree, "gateways")
        names = gateways.value if gateways is not None and isinstance(gateways.value, dict) else ()
        for name in names:
            other = ("gateways", name, "adapters", *path[1:])
            if _stands(tree, other):
                return nearest(tree, other)
    return nearest(tree, path)


def _stands(tree: Node, path: Path) -> bool:
    node: Node | None = tree
    for step in path:
        node = child(node, step) if node is not None else None
    return node is not None
