"""Reads YAML into a tree of located values, and refuses YAML's traps."""

from collections.abc import Mapping

import yaml
from serving.text import decode, told_encoding

from fes.errors import Place
from fes.federation.file.finding import Finding, Path, Severity, key_text
from fes.federation.file.interpolate import interpolate, is_variable
from fes.federation.file.scalar import plain_value
from fes.federation.file.tree import Node, Scalar

MAX_BYTES = 1024 * 1024
"""Largest file that is read."""

MAX_DEPTH = 32
"""How deep values may be nested."""

MAX_REPEATED = 10_000
"""Most values that aliases may add to a file."""

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc,valid-type]  # chosen at run time: C where available
    def resolve(self, _kind: object, _value: object, _implicit: object) -> str:
        """Return no tag for untagged values, so that any tag that is seen is in the file."""
        return ""


class _TooMuchError(Exception):
    """Raised when a file exceeds a limit, to end reading; its finding is in the list."""


def read(
    data: bytes, file: str, environment: Mapping[str, str] | None, most: int = MAX_BYTES
) -> tuple[Node | None, list[Finding]]:
    """Return the tree of a YAML document and what is wrong with it.

    Args:
        data: The file's bytes; UTF-8, or the encoding of a byte order mark.
        file: Its name, for findings.
        environment: Values of `${NAME}`; None to leave `${` alone.
        most: How many bytes it may have.

    Returns:
        The tree, None where there is none; and the findings, all of them errors.
    """
    builder = _Builder(file, environment)
    text = builder.decode(data, most)
    if text is None:
        return None, builder.findings
    try:
        root = yaml.compose(text, _Loader)
        if root is None:
            builder.error(None, (), "the file is empty")
            return None, builder.findings
        return builder.node(root, ()), builder.findings
    except _TooMuchError:
        return None, builder.findings
    except yaml.YAMLError as error:
        builder.syntax(error, text)
    except RecursionError:
        builder.error(None, (), f"values are nested deeper than {MAX_DEPTH}")
    return None, builder.findings


class _Builder:
    """Turns PyYAML's nodes into ours."""

    def __init__(self, file: str, environment: Mapping[str, str] | None) -> None:
        self._file = file
        self._environment = environment
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeated = 0
        self.findings: list[Finding] = []

    def error(self, place: Place | None, path: Path, message: str) -> None:
        self.findings.append(Finding(Severity.ERROR, self._file, place, key_text(path), message))

    def decode(self, data: bytes, most: int) -> str | None:
        if len(data) > most:
            self.error(None, (), f"the file has {len(data)} bytes, more than {most}")
            return None
        try:
            return decode(data)
        except UnicodeDecodeError as error:
            before = decode(data[: error.start])
            place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
            byte = data[error.start]
            self.error(place, (), f"byte 0x{byte:02x} is not {told_encoding(error)}")
            return None

    def syntax(self, error: yaml.YAMLError, text: str) -> None:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        place = Place(mark.line + 1, mark.column + 1) if mark else _position(error, text)
        if place and _is_tab(text, place):
            problem = "a tab is used where only spaces may indent"
        self.error(place, (), f"not YAML: {problem}")

    def node(self, source: yaml.Node, path: Path, key_place: Place | None = None) -> Node:
        self._enter(source, path)
        place = _place(source)
        if source.tag:
            self.error(place, path, f"tag {source.tag!r} is not read; remove it")
        value: Scalar | list[Node] | dict[str, Node]
        text = None
        if isinstance(source, yaml.MappingNode):
            value = self._mapping(source, path)
        elif isinstance(source, yaml.ScalarNode):
            value, text = self._scalar(source, path)
        else:
            value = [self.node(item, (*path, at)) for at, item in enumerate(source.value)]
        self._open.discard(id(source))
        return Node(value, self._file, place, key_place, text)

    def _enter(self, source: yaml.Node, path: Path) -> None:
        if id(source) in self._open:
            self._stop(source, path, "an alias is used inside its own anchor")
        if len(path) > MAX_DEPTH:
            self._stop(source, path[:4], f"values are nested deeper than {MAX_DEPTH}")
        if id(source) in self._seen:
            self._repeated += 1
        if self._repeated > MAX_REPEATED:
            self._stop(source, path, f"aliases add more than {MAX_REPEATED} values")
        self._seen.add(id(source))
        self._open.add(id(source))

    def _stop(self, source: yaml.Node, path: Path, message: str) -> None:
        self.error(_place(source), path, message)
        raise _TooMuchError

    def _mapping(self, source: yaml.MappingNode, path: Path) -> dict[str, Node]:
        members: dict[str, Node] = {}
        for key_node, value_node in source.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            node = self.node(value_node, (*path, key), _place(key_node))
            first = members.setdefault(key, node)
            if first is not node:
                where = f" (first in line {first.key_place.line})" if first.key_place else ""
                self.error(_place(key_node), (*path, key), f"the key occurs twice{where}")
        return members

    def _key(self, source: yaml.Node, path: Path) -> str | None:
        place = _place(source)
        if not isinstance(source, yaml.ScalarNode) or source.tag:
            self.error(place, path, "a key must be text")
        elif not source.style and source.value == "<<":
            self.error(place, path, "merge keys are not read; write the members out")
        elif not source.style and not isinstance(self._plain(source.value), str):
            self.error(place, path, f"key {source.value[:40]} is not text; quote it")
        elif "${" in source.value and self._environment is not None:
            self.error(place, path, "variables are allowed in values only, not in keys")
        else:
            return str(source.value)
        return None

    def _scalar(self, source: yaml.ScalarNode, path: Path) -> tuple[Scalar, str | None]:
        """Return a value, and its text where text may have been meant."""
        try:
            text = self._interpolated(source.value)
            text.encode()
            if source.style and not (text != source.value and is_variable(source.value)):
                return text, None
            value = plain_value(text)
        except UnicodeEncodeError:
            self.error(_place(source), path, "text is not Unicode (lone surrogate)")
        except ValueError as error:
            self.error(_place(source), path, str(error))
        else:
            return value, (None if text == source.value and self._environment is not None else text)
        return None, None

    def _interpolated(self, text: str) -> str:
        return text if self._environment is None else interpolate(text, self._environment)

    @staticmethod
    def _plain(text: str) -> Scalar:
        try:
            return plain_value(text)
        except ValueError:
            return None


def _place(source: yaml.Node) -> Place:
    return Place(source.start_mark.line + 1, source.start_mark.column + 1)


def _position(error: yaml.YAMLError, text: str) -> Place | None:
    at = getattr(error, "position", None)
    if not isinstance(at, int):
        return None
    before = text.encode()[:at].decode(errors="ignore")
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


def _is_tab(text: str, place: Place) -> bool:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    return "\t" in line[: place.column] and not line[: place.column - 1].strip()
