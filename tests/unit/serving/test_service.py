"""A small service as a process: how it starts, serves, and ends for what it was given."""

import asyncio

import httpx
import pytest
from fastapi import FastAPI
from fes.testing.eventually import eventually
from serving.service import BAD_INPUT, run_service, serve_http


async def _fails(error: Exception) -> None:
    raise error


async def _ends() -> None:
    return


def test_a_known_fault_ends_it_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_service("it", _fails(ValueError("f:3: no such key")), (ValueError,)) == BAD_INPUT
    assert capsys.readouterr().err == "it: f:3: no such key\n"


def test_what_nobody_expected_is_raised() -> None:
    with pytest.raises(KeyError):
        run_service("it", _fails(KeyError("x")), (ValueError,))


def test_one_that_ends_by_itself_has_status_zero() -> None:
    assert run_service("it", _ends(), ()) == 0


async def test_the_line_that_states_readiness_names_where_it_serves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = FastAPI()
    app.get("/healthz")(lambda: {"status": "ok"})
    serving = asyncio.create_task(serve_http(app, "127.0.0.1", 0))
    lines: list[str] = []

    def is_ready() -> bool:
        lines.extend(capsys.readouterr().out.splitlines())
        return bool(lines)

    await eventually(is_ready, what="the line")
    word, url = lines[0].split()
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{url}/healthz")).json() == {"status": "ok"}
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert word == "ready"
