"""No path through a gateway is longer than the documentation states."""

import re
from pathlib import Path

from support.house.trace import Trace, event_and_request, tracing

ROOT = Path(__file__).parents[3]
ROW = re.compile(
    r"^\| (one event|one request)\b[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE
)


def documented() -> dict[str, tuple[int, ...]]:
    """Return files, files that pass it on, calls and moves by path, as the page has them."""
    rows = ROW.findall((ROOT / "docs/architecture.md").read_text("utf-8"))
    return {name: tuple(map(int, figures)) for name, *figures in rows}


def figures(trace: Trace) -> tuple[int, ...]:
    return len(trace.files), len(trace.passing), len(trace.calls), trace.moves


async def test_no_path_is_longer_than_the_page_says() -> None:
    event, request = await event_and_request()
    most = documented()
    assert all(map(int.__le__, figures(event), most["one event"])), figures(event)
    assert all(map(int.__le__, figures(request), most["one request"])), figures(request)
    for trace in (event, request):
        assert "libs/fes/src/fes/gateway/core.py" in trace.files
        assert "libs/fes/src/fes/adapter/outbound/performer.py" in trace.files


def test_a_call_within_a_file_is_no_move_and_one_into_another_is(tmp_path: Path) -> None:
    source = tmp_path / "libs"
    source.mkdir()
    inner, outer = source / "inner.py", source / "outer.py"
    inner.write_text("def act(): return step()\ndef step(): return 1\n")
    outer.write_text("def run(act): return act()\n")
    names: dict[str, object] = {}
    for path in (inner, outer):
        exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102 - the test's own
    run = names["run"]
    assert callable(run)
    with tracing(tmp_path) as trace:
        run(names["act"])
    assert [name for _, name in trace.calls] == ["run", "act", "step"]
    assert trace.files == ["libs/outer.py", "libs/inner.py"]
    assert trace.passing == {"libs/outer.py"}
    assert trace.moves == 2
