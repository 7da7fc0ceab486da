"""Waiting for parts: a small HTTP server stands for them."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from fes.running.readiness import Patience, answers, proved, within
from fes.testing.eventually import eventually

Answer = tuple[int, object]


class Part:
    """Answers what it is told to, and counts how often it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = (503, "journal away")
        self.asked = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked += 1
        status, content = self.answer
        body = json.dumps(content).encode()
        head = f"HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def part() -> AsyncIterator[Part]:
    serving = Part()
    server = await asyncio.start_server(serving.serve, "127.0.0.1", 0)
    serving.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield serving


def adapters(*proved_us: int) -> Answer:
    return 200, [{"service": f"s{n}", "proved_us": at} for n, at in enumerate(proved_us)]


async def test_a_part_is_ready_once_it_answers_200(part: Part) -> None:
    waiting = asyncio.create_task(answers(part.url, within(20.0)))
    await eventually(lambda: part.asked > 1)
    part.answer = (200, "ready")
    assert await waiting == ""


async def test_what_was_said_last_is_told_when_waiting_is_given_up(part: Part) -> None:
    assert "journal away" in await answers(part.url, lambda: part.asked < 1)


async def test_nobody_there_is_told_too() -> None:
    assert "no answer from http://127.0.0.1:1" in await answers("http://127.0.0.1:1", within(0.3))


async def test_adapters_have_proved_once_all_of_them_did_since_then(part: Part) -> None:
    part.answer = adapters(7, 3, 0)
    waiting = asyncio.create_task(proved({part.url: {"s0", "s1"}}, 5, within(20.0)))
    await eventually(lambda: part.asked > 1)
    assert not waiting.done()
    part.answer = adapters(7, 6, 0)
    assert await waiting


async def test_waiting_for_proof_is_given_up_when_told(part: Part) -> None:
    assert not await proved({part.url: {"s0"}}, 5, lambda: part.asked < 1)


async def test_a_part_that_gets_on_is_waited_for_longer() -> None:
    now_s = [0.0]
    patience = Patience(60.0, lambda: now_s[0])
    for count in (200, 150, 80, 3):
        now_s[0] += 50.0
        patience.faults(count)
        assert patience()
    now_s[0] += 61.0
    patience.faults(3)
    assert not patience()


async def test_what_keeps_a_part_from_being_ready_is_one_plain_line(part: Part) -> None:
    part.answer = (503, {"faults": {f"M{number}": "not applied yet" for number in range(5)}})
    counted: list[int] = []

    said = await answers(part.url, lambda: not counted, counted.append)

    assert said == "M0: not applied yet; M1: not applied yet; M2: not applied yet; and 2 more"
    assert counted == [5]
