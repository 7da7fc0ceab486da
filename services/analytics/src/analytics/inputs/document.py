"""YAML documents whose faults can be named by line."""

import math
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from serving.text import read_text

from analytics.errors import CannotJudgeError

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Document:
    """One YAML file: its value, and the line of each of its parts.

    Args:
        path: The file.

    Raises:
        CannotJudgeError: The file cannot be read, is not YAML, or is not a mapping.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._text = read_text(path)
            self.value: dict[str, Any] = yaml.load(self._text, _LOADER)  # noqa: S506 - a safe loader
        except (OSError, UnicodeDecodeError) as error:
            raise CannotJudgeError(path, 0, f"cannot be read: {error}") from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 0
            raise CannotJudgeError(path, line, "is not well-formed YAML") from error
        except (ValueError, RecursionError) as error:
            raise CannotJudgeError(path, 0, f"holds a value that is none: {error}") from error
        if not isinstance(self.value, dict):
            raise CannotJudgeError(path, 1, "is not a mapping")

    @cached_property
    def _root(self) -> yaml.Node | None:
        return yaml.compose(self._text, _LOADER)

    def line(self, *keys: str | int) -> int:
        """Return the line of the deepest part in transit `keys` that exists, counted from 1."""
        node, line = self._root, 1
        for key in keys:
            node = _child(node, key)
            if node is None:
                break
            line = node.start_mark.line + 1
        return line

    def error(self, message: str, *keys: str | int) -> CannotJudgeError:
        """Return the error that says `message` of the part at `keys`."""
        return CannotJudgeError(self.path, self.line(*keys), message)

    def section(self, *keys: str) -> dict[str, Any]:
        """Return a mapping inside the document; an absent one is empty.

        Raises:
            CannotJudgeError: The part is there and is not a mapping.
        """
        value: Any = self.value
        for key in keys:
            value = value.get(key) or {}
            if not isinstance(value, dict):
                raise self.error(f"{'.'.join(keys)} is not a mapping", *keys)
        return dict(value)

    def entries(self, *keys: str) -> list[dict[str, Any]]:
        """Return a list of mappings inside the document; an absent one is empty.

        Raises:
            CannotJudgeError: The part is there and is something else.
        """
        value: Any = self.section(*keys[:-1]).get(keys[-1]) or []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.error(f"{'.'.join(keys)} is not a list of mappings", *keys)
        return list(value)

    def number(self, *keys: str | int) -> float:
        """Return a finite number inside the document.

        Raises:
            CannotJudgeError: It is absent or is not a number.
        """
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise self.error(f"{keys[-1]} is not a number", *keys)
        return float(value)


def _child(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        found = [value for name, value in node.value if name.value == key]
        return found[0] if found else None
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        entry: yaml.Node = node.value[key]
        return entry
    return None
