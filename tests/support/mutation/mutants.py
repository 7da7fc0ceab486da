"""What a mutant is: one branch negated or skipped, one comparison flipped, one call left out."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SWAPPED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}

Branch = ast.If | ast.While | ast.IfExp
"""What decides by a test."""


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Attributes:
        module: Its file name.
        name: The change, without line numbers, so that it stays the same while other lines change.
        line: Where it is now.
        place: Which node of the module changes.
        kind: How.
        of: Digest of the module without the change.
    """

    module: str
    name: str
    line: int
    place: int
    kind: str
    of: str

    def source(self, path: Path) -> str:
        """Return the whole module, changed; as it is for the mutant without a kind."""
        tree = ast.parse(path.read_text("utf-8"))
        if self.kind:
            _, node = list(_walk(tree, ""))[self.place]
            tree = _changed(tree, node, self.kind)
        return ast.unparse(tree)


def mutants_of(path: Path) -> list[Mutant]:
    """Return every mutant of a module, in the order of its lines."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    of = hashlib.sha256(text.encode()).hexdigest()[:16]
    found, seen = [], Counter[str]()
    for place, (scope, node) in enumerate(_walk(tree, "")):
        for kind in _kinds(node):
            name = f"{path.name} {scope}: {kind} {_shown(node)}"
            seen[name] += 1
            if seen[name] > 1:
                name += f" ({seen[name]})"
            found.append(Mutant(path.name, name, getattr(node, "lineno", 0), place, kind, of))
    return sorted(found, key=lambda each: each.line)


def _walk(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield each node with the function or class that it stands in."""
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{child.name}".lstrip(".")
        yield scope, child
        yield from _walk(child, inner)


def _kinds(node: ast.AST) -> list[str]:
    if isinstance(node, Branch):
        return ["negated", "never"]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPPED:
        return ["flipped"]
    if isinstance(node, ast.BoolOp):
        return ["and/or swapped"]
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
        return ["plus/minus swapped"]
    if isinstance(node, ast.AugAssign | ast.Delete) or _is_call(node):
        return ["left out"]
    return []


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _changed(tree: ast.Module, node: ast.AST, kind: str) -> ast.Module:
    if isinstance(node, Branch):
        false = ast.Constant(value=False)
        node.test = false if kind == "never" else ast.UnaryOp(op=ast.Not(), operand=node.test)
    elif isinstance(node, ast.Compare):
        node.ops[0] = FLIPPED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.BinOp):
        node.op = SWAPPED[type(node.op)]()
    else:
        _Without(node).visit(tree)
    return ast.fix_missing_locations(tree)


class _Without(ast.NodeTransformer):
    """Puts `pass` in the place of a statement."""

    def __init__(self, gone: ast.AST) -> None:
        self._gone = gone

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.Pass() if node is self._gone else self.generic_visit(node)


def _shown(node: ast.AST) -> str:
    shown = node.test if isinstance(node, Branch) else node
    return " ".join(ast.unparse(shown).split())[:100]
