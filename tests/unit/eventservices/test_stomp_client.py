"""One connection by STOMP: what its threads pass on, and what waits in it."""

import asyncio
import socket
from types import SimpleNamespace

import pytest
from eventservices.errors import NotConnectedError
from eventservices.stomp import client as module
from eventservices.stomp.client import UNSENT, Frame, StompClient
from fes.testing.eventually import eventually


async def test_a_handler_that_fails_loses_nothing_that_comes_after(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found: list[str] = []

    def receive(frame: Frame) -> None:
        if frame.headers["n"] == "0":
            raise ValueError("x")
        found.append(frame.headers["n"])

    client = StompClient("stomp://127.0.0.1:1", "", receive)
    for number in range(1000):
        client.on_receipt(SimpleNamespace(headers={"n": str(number)}))
    await eventually(lambda: len(found) == 999)
    assert found == [str(number) for number in range(1, 1000)]
    assert "handler_failed" in caplog.text
    client.on_receipt(SimpleNamespace(headers={"n": "more"}))
    await eventually(lambda: found[-1] == "more")


async def test_others_have_their_turn_between_frames_that_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SLICE_S", 0.0)
    turns: list[str] = []
    client = StompClient("stomp://127.0.0.1:1", "", lambda _: turns.append("frame"))
    for _ in range(3):
        client.on_receipt(SimpleNamespace(headers={}))
    while turns.count("frame") < 3:
        await asyncio.sleep(0)
        turns.append("other")
    assert "other" in turns[turns.index("frame") : -1]


async def test_frames_that_wait_are_bounded_in_number_and_bytes_and_acknowledgements_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "UNSENT_BYTES", 100)
    client = StompClient("stomp://127.0.0.1:1", "", lambda _: None)
    client.send("SEND", {}, bytes(200))
    with pytest.raises(NotConnectedError, match="1 frames of 200 bytes wait"):
        client.send("SEND", {}, b"x")
    client.send("ACK", {})
    other = StompClient("stomp://127.0.0.1:1", "", lambda _: None)
    for _ in range(UNSENT):
        other.send("SEND", {})
    with pytest.raises(NotConnectedError, match="4096 frames of 0 bytes wait"):
        other.send("SEND", {})
    other.send("ACK", {})


async def test_a_client_that_was_dropped_while_it_connected_leaves_no_connection() -> None:
    """A broker would keep the client's name in use."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = StompClient(f"stomp://127.0.0.1:{server.getsockname()[1]}", "me", lambda _: None)
        client.drop()
        with pytest.raises(NotConnectedError):
            await asyncio.to_thread(client.open)
        accepted, _ = await asyncio.to_thread(server.accept)
        with accepted:
            accepted.settimeout(30)
            while await asyncio.to_thread(accepted.recv, 1024):
                pass
