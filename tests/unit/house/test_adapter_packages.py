"""Adapter packages have one anatomy, and stay small: who knows one knows all."""

import ast
import io
import tokenize
from pathlib import Path

import pytest

PACKAGES = sorted(
    path.parent for path in (Path(__file__).parents[3] / "services").glob("adapter-*/src/*/app.py")
)
FILES = {"__init__.py", "__main__.py", "adapter.py", "app.py", "codec.py", "mapping.py"}
LINES = {"adapter_cns": 900}
"""Most lines of code, where it is more than `USUAL`: the largest event model has the largest."""

USUAL = 600
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}


def code_lines(text: str) -> int:
    """Return how many lines hold code: no blank ones, comments and docstrings."""
    told: set[int] = set()
    blocks = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(text)):
        for each in node.body if isinstance(node, blocks) else ():
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                told.update(range(each.lineno, (each.end_lineno or each.lineno) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - told)


def test_lines_are_counted_without_what_is_no_code() -> None:
    text = '"""Doc.\n\nMore."""\n\nx = 1  # why\n# a comment\ny = (\n    2,\n)\n'
    assert code_lines(text) == 4


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.name))
def test_an_adapter_has_the_same_files_and_is_small(package: Path) -> None:
    modules = {path.name for path in package.glob("*.py")}
    assert modules >= {*FILES, "settings.py"}
    lines = sum(code_lines(path.read_text("utf-8")) for path in package.glob("*.py"))
    assert lines <= LINES.get(package.name, USUAL)


def test_there_are_adapters() -> None:
    assert len(PACKAGES) >= 6
