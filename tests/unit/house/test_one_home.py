"""Small facts that every part needs have one home."""

import ast
from pathlib import Path

import pytest
from support.house.words import sources

HOMES = {
    "time.time_ns() // 1000": "libs/serving/src/serving/clocks.py",
}
ELSEWHERE = {
    "time.time_ns() // 1000": {"libs/eventservices/src/eventservices/cns/core.py"},
}
"""What still has a second home."""


def homes_of(expression: str, paths: list[Path]) -> list[str]:
    """Return the files in which an expression is written."""
    wanted = ast.dump(ast.parse(expression, mode="eval").body)
    return [
        str(path)
        for path in paths
        if any(
            isinstance(node, ast.expr) and ast.dump(node) == wanted
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    ]


@pytest.mark.parametrize("expression", HOMES)
def test_a_small_fact_has_one_home(expression: str) -> None:
    root = Path(__file__).parents[3]
    found = {str(Path(path).relative_to(root)) for path in homes_of(expression, sources())}
    assert found - ELSEWHERE[expression] == {HOMES[expression]}


def test_a_second_home_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("import time\ndef now() -> int:\n    return time.time_ns()  //  1000\n")
    assert homes_of("time.time_ns() // 1000", [module]) == [str(module)]
