"""What the service shows over HTTP."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from analytics.http.app import make_app
from analytics.live.board import Board
from analytics.live.interim_verdict import InterimVerdict, Progress
from analytics.serve import BODY_BYTES
from analytics.verdict import Example, Hop, Promise, Reports, Verdict
from serving.guard import BodyGuard

PROGRESS = Progress(
    batch=7,
    now_us=9_000_000,
    ended=False,
    judged_until_us=5_000_000,
    events_waiting=12,
    bytes_waiting=34,
    files=6,
    lines=1234,
    unreadable=5,
    too_late=1,
    dropped=2,
)
LOST = Promise("nothing is lost", "broken", 1, "1 offending", (Example("a/1/2", "M01", "late"),))


def _verdict(expected: int, *promises: Promise, unexpected: int = 0) -> Verdict:
    reports = Reports(expected, expected, 0, unexpected, 0, 0)
    return Verdict(reports, Hop("end to end", 5.0, 9.5, 3), (Hop("air", None, None, 0),), promises)


def _interim(verdict: Verdict | None, fault: str = "") -> InterimVerdict:
    return InterimVerdict(PROGRESS, verdict, fault, ())


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
async def web(board: Board) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(BodyGuard(make_app(board, patience_s=60.0), BODY_BYTES))
    async with httpx.AsyncClient(transport=transport, base_url="http://judge") as client:
        yield client


async def test_before_there_is_a_verdict_it_says_what_it_waits_for(
    board: Board, web: httpx.AsyncClient
) -> None:
    board.wait_for("trace.csv is missing")

    verdict, ready, page = [await web.get(path) for path in ("/verdict.json", "/readyz", "/")]
    assert (verdict.status_code, verdict.json()) == (503, {"detail": "trace.csv is missing"})
    assert ready.status_code == 503
    assert ready.json()["faults"] == {"run": "trace.csv is missing"}
    assert page.status_code == 503
    assert (await web.get("/healthz")).status_code == 200


@pytest.mark.parametrize("path", ["/verdict.json", "/v1/verdict"])
async def test_the_verdict_has_the_form_of_the_file_and_says_how_far_it_goes(
    board: Board, web: httpx.AsyncClient, path: str
) -> None:
    board.tell(_interim(_verdict(3, LOST)), "<h1>so far</h1>", 1.5)
    told: dict[str, Any] = (await web.get(path)).json()

    progress = told.pop("progress")
    assert told == json.loads(json.dumps(_verdict(3, LOST).as_json()))
    assert progress["events_waiting"] == 12
    assert not progress["ended"]
    assert (await web.get("/")).text == "<h1>so far</h1>"
    assert (await web.get("/readyz")).json() == {"status": "ready", "faults": {}}


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        (_verdict(3), "pass"),
        (_verdict(0), "waiting"),
        (_verdict(0, LOST), "fail"),
        (_verdict(0, unexpected=1), "fail"),
    ],
)
def test_while_nothing_was_expected_and_nothing_is_wrong_it_waits(
    verdict: Verdict, word: str
) -> None:
    assert _interim(verdict).word == word


async def test_an_input_that_cannot_be_understood_takes_the_verdict_away(
    board: Board, web: httpx.AsyncClient
) -> None:
    board.tell(_interim(_verdict(3)), "page", 1.0)
    board.tell(_interim(None, "outages.jsonl:3: is not JSON"), "", 1.0)

    answer = await web.get("/verdict.json")
    assert answer.status_code == 503
    assert answer.json() == {"detail": "outages.jsonl:3: is not JSON"}
    assert (await web.get("/readyz")).status_code == 503


async def test_another_run_takes_the_verdict_away(board: Board, web: httpx.AsyncClient) -> None:
    board.tell(_interim(_verdict(3)), "page", 1.0)
    board.begin_anew()

    assert (await web.get("/verdict.json")).status_code == 503
    assert "fes_analytics_begun_anew_total 1.0" in (await web.get("/metrics")).text


async def test_a_judge_without_a_sign_of_life_is_not_ready(board: Board) -> None:
    board.tell(_interim(_verdict(3)), "page", 1.0)

    assert board.faults(patience_s=60.0) == {}
    assert set(board.faults(patience_s=-1.0)) == {"judge"}


async def test_the_metrics_count_files_lines_batches_and_lag(
    board: Board, web: httpx.AsyncClient
) -> None:
    board.tell(_interim(_verdict(3, LOST)), "page", 1.5)
    board.tell(_interim(_verdict(4, LOST)), "page", 0.5)
    answer = await web.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain")
    for line in (
        "fes_analytics_files 6.0",
        "fes_analytics_lines_total 1234.0",
        "fes_analytics_unreadable_lines_total 5.0",
        "fes_analytics_late_lines_total 1.0",
        "fes_analytics_batches_total 2.0",
        "fes_analytics_batch_seconds_sum 2.0",
        "fes_analytics_last_batch_seconds 0.5",
        "fes_analytics_waiting_events 12.0",
        "fes_analytics_passed 0.0",
        'fes_analytics_reports{outcome="expected"} 4.0',
        'fes_analytics_offending{promise="nothing is lost"} 1.0',
    ):
        assert f"{line}\n" in answer.text
    assert "fes_analytics_lag_seconds " in answer.text


async def test_every_path_is_in_the_documentation(web: httpx.AsyncClient) -> None:
    paths = (await web.get("/openapi.json")).json()["paths"]

    assert set(paths) == {"/", "/verdict.json", "/v1/verdict", "/healthz", "/readyz", "/metrics"}
    assert (await web.get("/docs")).status_code == 200


async def test_bodies_are_bounded_and_plain(web: httpx.AsyncClient) -> None:
    large = await web.request("GET", "/verdict.json", content=b"x" * (BODY_BYTES + 1))
    packed = await web.request("GET", "/", headers={"content-encoding": "gzip"}, content=b"x")

    assert large.status_code == 413
    assert packed.status_code == 415
