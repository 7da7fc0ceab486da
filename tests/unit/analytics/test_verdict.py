"""The verdict: when it passes, how it is written and printed."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from analytics.report.pages import print_verdict
from analytics.verdict import Example, Hop, Promise, Reports, Verdict, write_verdict
from rich.console import Console

GOOD = Verdict(
    reports=Reports(expected=3, received=3, missing=0, unexpected=0, duplicate=0, outage=0),
    end_to_end=Hop("end to end", 5.0, 9.5, 3),
    hops=(Hop("air", None, None, 0), Hop("end to end", 5.0, 9.5, 3)),
    promises=(
        Promise("order", "held", 0, "3 in order"),
        Promise("restart", "not testable", 0, "nothing was killed"),
    ),
)
BROKEN = Promise("order", "broken", 1, "1 offending", (Example("a/1/2", "M01", "late"),))


def test_a_verdict_passes_if_nothing_is_broken() -> None:
    assert GOOD.passed


@pytest.mark.parametrize(
    "wrong",
    [
        replace(GOOD, promises=(BROKEN,)),
        *(
            replace(GOOD, reports=replace(GOOD.reports, **{name: 1}))
            for name in ("missing", "unexpected", "duplicate")
        ),
        replace(GOOD, reports=replace(GOOD.reports, expected=0)),
    ],
)
def test_anything_wrong_or_nothing_at_all_fails(wrong: Verdict) -> None:
    assert not wrong.passed


def test_the_file_has_the_form_that_others_read(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    write_verdict(replace(GOOD, promises=(BROKEN,)), path)

    assert json.loads(path.read_text(encoding="utf-8")) == {
        "verdict": "fail",
        "reports": {
            "expected": 3,
            "received": 3,
            "missing": 0,
            "unexpected": 0,
            "duplicate": 0,
            "outage": 0,
        },
        "latency_ms": {"p50": 5.0, "p99": 9.5},
        "hops": [
            {"hop": "air", "p50": None, "p99": None, "count": 0},
            {"hop": "end to end", "p50": 5.0, "p99": 9.5, "count": 3},
        ],
        "promises": [
            {
                "name": "order",
                "status": "broken",
                "offending": 1,
                "detail": "1 offending",
                "examples": [{"id": "a/1/2", "monitor": "M01", "reason": "late"}],
            }
        ],
    }
    assert list(tmp_path.iterdir()) == [path]


def test_the_table_has_a_line_for_each_promise_the_reports_and_the_word() -> None:
    screen = io.StringIO()
    print_verdict(GOOD, Console(file=screen, width=120))

    lines = screen.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == [
        *("promise", "order", "restart", "reports:", "latency:", "latency:", "verdict:")
    ]
    assert lines[-1] == "verdict: pass"
    assert "3 expected, 3 received, 0 missing" in lines[3]
