"""The import graph of the sources: which module names which, and where the names make a circle.

Imports for type checkers count (`TYPE_CHECKING`): a class that holds a reference to its parent's
class cannot be read, moved or tested without the parent, whether or not the import runs.
"""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]


def source_roots(root: Path = ROOT) -> list[Path]:
    """Return every `src` folder of the repository."""
    return sorted(
        path
        for folder in ("libs", "services", "scenarios")
        for path in root.glob(f"{folder}/*/src")
    )


def modules(roots: Iterable[Path]) -> dict[str, Path]:
    """Return path by dotted name, of every module below some `src` folders."""
    return {
        _dotted(path.relative_to(source)): path
        for source in roots
        for path in sorted(source.rglob("*.py"))
    }


def import_graph(found: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    """Return for each module the modules that it imports, of those that were found.

    An import of a package's name counts as an import of the package (`__init__`); one of a
    module's name from its package counts as an import of the module.
    """
    return {name: frozenset(_imports(name, path, found)) for name, path in found.items()}


def circles(graph: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """Return the groups of two or more modules that each reach the others by imports.

    Source:
        Strongly connected components (Tarjan 1972), without recursion.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    found: list[frozenset[str]] = []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        path.append(start)
        on_path.add(start)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = path.index(name)
                    found.append(frozenset(path[at:]))
                    on_path -= set(path[at:])
                    del path[at:]
            elif following not in index:
                index[following] = low[following] = len(index)
                path.append(following)
                on_path.add(following)
                work.append((following, iter(sorted(graph[following]))))
            elif following in on_path:
                low[name] = min(low[name], index[following])
    return [group for group in found if len(group) > 1]


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, path: Path, known: Mapping[str, Path]) -> set[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            inner = {f"{base}.{each.name}" for each in node.names}
            of_modules = inner & set(known)
            found |= of_modules
            if len(of_modules) < len(inner):
                found.add(base)
    return (found & set(known)) - {name}
