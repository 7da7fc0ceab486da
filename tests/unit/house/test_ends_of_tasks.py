"""Tasks are ended by one function, which bounds the wait for one that swallows its cancellation."""

import ast

import pytest
from support.house.words import ROOT, sources

HOME = "libs/eventservices/src/eventservices/ending.py"
ELSEWHERE = {
    # What a process does may clean up for long: it is cancelled once, however often it is asked.
    "libs/serving/src/serving/ending.py",
    # `serving` stands below `eventservices`, and what these tasks await swallows no cancellation.
    "libs/serving/src/serving/readiness_file.py",
    "libs/serving/src/serving/server.py",
    # A future, which nobody awaits where it was cancelled.
    "libs/eventservices/src/eventservices/kafka/producer.py",
}


def waits_for_cancelled(source: str) -> bool:
    """Return whether a function cancels something, and then waits without a bound for tasks."""
    return any(
        _waits(function)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.AsyncFunctionDef)
    )


def _waits(function: ast.AsyncFunctionDef) -> bool:
    inside = list(ast.walk(function))
    cancelled = [
        (node.lineno, ast.dump(node.func.value))
        for node in inside
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "cancel"
    ]
    return any(
        line < node.lineno and (_is_unbounded(node.value) or ast.dump(node.value) == what)
        for node in inside
        if isinstance(node, ast.Await)
        for line, what in cancelled
    )


def _is_unbounded(awaited: ast.expr) -> bool:
    if not isinstance(awaited, ast.Call):
        return False
    name = ast.unparse(awaited.func)
    return name == "asyncio.gather" or (
        name == "asyncio.wait" and all(each.arg != "timeout" for each in awaited.keywords)
    )


def test_no_other_module_cancels_tasks_and_waits_for_them() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in sources()
        if waits_for_cancelled(path.read_text("utf-8"))
    }
    assert found - {HOME} == ELSEWHERE


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self._task.cancel(); await asyncio.gather(self._task, return_exceptions=True)", True),
        ("task.cancel(); await asyncio.wait({task})", True),
        ("task.cancel(); await task", True),
        ("task.cancel(); await asyncio.wait({task}, timeout=2)", False),
        ("await task; task.cancel()", False),
        ("await ended(task); await asyncio.gather(other.close())", False),
        ("handle.cancel(); await other", False),
    ],
)
def test_a_wait_without_a_bound_is_found(body: str, *, expected: bool) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    assert waits_for_cancelled(f"async def end():\n{lines}") is expected
