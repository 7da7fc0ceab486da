"""A server ends in time, whatever its clients do."""

import asyncio
import socket

import httpx
import pytest
from fes.testing.eventually import eventually
from serving import idle as idle_module
from serving import server as server_module
from serving.server import HttpServer
from starlette.types import Receive, Scope, Send

WITHIN_S = 10.0


class Streaming:
    """Answers with a stream that has no end."""

    def __init__(self) -> None:
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        self.open += 1
        try:
            while True:
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                await asyncio.sleep(0.01)
        finally:
            self.open -= 1


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_it_ends_in_time_though_a_stream_is_open() -> None:
    service = Streaming()
    server = HttpServer(service, "127.0.0.1", 0)
    await server.start()
    async with httpx.AsyncClient() as client, client.stream("GET", server.url) as answer:
        assert answer.status_code == 200
        assert await anext(answer.aiter_bytes())

        async with asyncio.timeout(server_module.GRACE_S + WITHIN_S):
            await server.stop()

        await eventually(lambda: not service.open)


async def test_it_ends_in_time_though_a_connection_says_nothing() -> None:
    server = HttpServer(Streaming(), "127.0.0.1", 0)
    await server.start()
    host, _, port = server.url.removeprefix("http://").partition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    _, other = await asyncio.open_connection(host, int(port))
    other.write(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx")
    await other.drain()
    try:
        async with asyncio.timeout(server_module.GRACE_S + WITHIN_S):
            await server.stop()
            await server.stop()
    finally:
        writer.close()
        other.close()


async def test_it_ends_though_it_is_told_so_at_once() -> None:
    server = HttpServer(Streaming(), "127.0.0.1", 0)
    await server.start()
    async with asyncio.timeout(server_module.GRACE_S + WITHIN_S):
        await server.stop()
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(server.url)


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1"], ids=["in use", "not of this machine"])
async def test_an_address_that_it_cannot_have_is_named(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"{host}:{port}"):
            await HttpServer(hello, host, port).start()


async def test_who_connects_as_soon_as_it_has_started_is_served() -> None:
    server = HttpServer(Streaming(), "127.0.0.1", 0)
    await server.start()
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 5):  # before the loop had a turn
        pass
    await server.stop()


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\nhost: x\r\nslow: "], ids=["nothing", "half"]
)
async def test_the_oldest_that_asks_for_nothing_makes_room_for_who_does(
    monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(server_module, "CONNECTIONS", 10)
    server = HttpServer(hello, "127.0.0.1", 0)
    await server.start()
    host, _, port = server.url.removeprefix("http://").partition(":")
    crowd = [await asyncio.open_connection(host, int(port)) for _ in range(30)]
    for _, writer in crowd:
        writer.write(said)
    await eventually(lambda: server.room.ended >= 21 and len(server.room) == 9)
    async with httpx.AsyncClient() as client:
        assert (await client.get(server.url)).status_code == 200
    for reader, writer in crowd[:22]:
        assert await reader.read() == b""
        writer.close()
    for _, writer in crowd[22:]:
        writer.close()
    await server.stop()


async def test_where_all_connections_are_being_answered_one_more_is_answered_503(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "CONNECTIONS", 4)
    streaming = Streaming()
    server = HttpServer(streaming, "127.0.0.1", 0)
    await server.start()
    host, _, port = server.url.removeprefix("http://").partition(":")
    crowd = [await asyncio.open_connection(host, int(port)) for _ in range(3)]
    for _, writer in crowd:
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually(lambda: streaming.open == 3)
    async with httpx.AsyncClient() as client:
        assert (await client.get(server.url)).status_code == 503
    assert (server.room.ended, streaming.open) == (0, 3)
    for _, writer in crowd:
        writer.close()
    await server.stop()


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\nhost: x\r\nslow: "], ids=["nothing", "half"]
)
async def test_connections_that_ask_for_nothing_are_ended_after_a_time(
    monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(idle_module, "LOOK_S", 0.02)
    monkeypatch.setattr(idle_module, "ASK_S", 0.1)
    server = HttpServer(hello, "127.0.0.1", 0)
    await server.start()
    host, _, port = server.url.removeprefix("http://").partition(":")
    crowd = [await asyncio.open_connection(host, int(port)) for _ in range(10)]
    for _, writer in crowd:
        writer.write(said)
    for reader, writer in crowd:
        assert await reader.read() == b""
        writer.close()
    assert server.idle.ended == 10
    await server.stop()


async def test_a_connection_that_is_being_answered_is_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(idle_module, "LOOK_S", 0.01)
    monkeypatch.setattr(idle_module, "ASK_S", 0.05)
    monkeypatch.setattr(server_module, "GRACE_S", 0)
    server = HttpServer(Streaming(), "127.0.0.1", 0)
    await server.start()
    async with httpx.AsyncClient() as client, client.stream("GET", server.url) as answer:
        pieces = answer.aiter_raw()
        for _ in range(30):  # of which one comes every 10 ms
            assert await anext(pieces)
        assert server.idle.ended == 0
        await server.stop()


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})
