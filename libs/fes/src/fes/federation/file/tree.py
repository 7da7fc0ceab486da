"""The tree of a file's values, each with the place where it is."""

from dataclasses import dataclass, replace

from fes.errors import Place
from fes.federation.file.finding import Finding, Path, Severity, key_text

Scalar = str | int | float | bool | None
Plain = Scalar | list["Plain"] | dict[str, "Plain"]


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a file.

    Attributes:
        value: A scalar, a list or a mapping.
        file: Name of the file, or of the environment variable that the value came from.
        place: Where the value begins; None where it came from the environment.
        key_place: Where its key begins; None where it has none.
        text: The original text, where a variable's value was read as a number or the like; None
            elsewhere.
    """

    value: "Scalar | list[Node] | dict[str, Node]"
    file: str
    place: Place | None
    key_place: Place | None = None
    text: str | None = None

    @property
    def shown(self) -> Place | None:
        """The place to report: the key of a collection, the value of anything else."""
        if isinstance(self.value, list | dict) and self.key_place:
            return self.key_place
        return self.place

    def plain(self) -> Plain:
        """Return the value as builtin types."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


def child(node: Node, step: str | int) -> Node | None:
    """Return the member or item of a node; None where there is none."""
    if isinstance(node.value, dict) and isinstance(step, str):
        return node.value.get(step)
    if isinstance(node.value, list) and isinstance(step, int) and -1 < step < len(node.value):
        return node.value[step]
    return None


def nearest(tree: Node, path: Path) -> Node:
    """Return the node at a path, or its closest ancestor that is in the file."""
    node = tree
    for step in path:
        below = child(node, step)
        if below is None:
            return node
        node = below
    return node


class Report:
    """Collects findings about one tree.

    Args:
        tree: The values with their places.
    """

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self.findings: list[Finding] = []

    @property
    def tree(self) -> Node:
        """The tree that the findings are about."""
        return self._tree

    def take_text(self, path: Path, node: Node) -> None:
        """Use the text of a variable in place of the value that was read from it."""
        self._tree = put(self._tree, path, replace(node, value=node.text, text=None))

    def error(self, path: Path, message: str, place: Place | None = None) -> None:
        """Add an error at a path; at `place` where the path's own place would mislead."""
        self._add(Severity.ERROR, path, message, place)

    def warning(self, path: Path, message: str) -> None:
        """Add a warning at a path."""
        self._add(Severity.WARNING, path, message, None)

    def info(self, path: Path, message: str) -> None:
        """Add information at a path."""
        self._add(Severity.INFO, path, message, None)

    def _add(self, severity: Severity, path: Path, message: str, place: Place | None) -> None:
        node = nearest(self._tree, path)
        shown = place or node.shown
        self.findings.append(Finding(severity, node.file, shown, key_text(path), message))


def put(tree: Node, path: Path, new: Node) -> Node:
    """Return the tree with `new` at `path`; mappings on the path are made where they are missing.

    Raises:
        KeyError: The path leads through a scalar, or past the end of a list.
    """
    if not path:
        return new
    step, rest = path[0], path[1:]
    below = child(tree, step)
    if below is None or below.value is None:
        below = Node({}, new.file, None)
    if isinstance(tree.value, dict) and isinstance(step, str):
        return replace(tree, value={**tree.value, step: put(below, rest, new)})
    if isinstance(tree.value, list) and isinstance(step, int) and -1 < step < len(tree.value):
        items = [put(below, rest, new) if at == step else x for at, x in enumerate(tree.value)]
        return replace(tree, value=items)
    raise KeyError(step)
