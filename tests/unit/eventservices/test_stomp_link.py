"""A link by STOMP over connections that end when it matters."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import ClassVar

import pytest
from eventservices.errors import NotConnectedError
from eventservices.stomp import link as module
from eventservices.stomp.client import ENDED, Frame
from eventservices.stomp.link import StompLink
from fes.testing.eventually import eventually

CONNECTED = Frame("CONNECTED", {}, b"")


def message(number: int) -> Frame:
    return Frame("MESSAGE", {"ack": f"a{number}"}, b"")


class Connection:
    """A connection whose broker does what a test has it do."""

    early = "the connection ended before an answer"

    made: ClassVar[list["Connection"]] = []
    on_open: ClassVar[Callable[["Connection"], None]]
    on_send: ClassVar[Callable[["Connection", str, Mapping[str, str]], None]]

    def __init__(self, url: str, client_id: str, receive: Callable[[Frame], None]) -> None:
        self.url = url
        self.loop = asyncio.get_running_loop()
        self.number = len(self.made)
        self.sent: list[tuple[str, Mapping[str, str]]] = []
        self.is_dropped = False
        self._receive = receive
        self.made.append(self)

    def comes(self, *frames: Frame) -> None:
        """Receive frames in one turn of the loop."""
        for frame in frames:
            self._receive(frame)

    def confirm(self, headers: Mapping[str, str]) -> None:
        """Answer what was sent."""
        self.comes(Frame("RECEIPT", {"receipt-id": headers["receipt"]}, b""))

    async def dial(self) -> None:
        """There is no TLS to speak."""

    async def hang_up(self, within_s: float = 0.0) -> None:
        """There is nothing that `dial` began."""

    def open(self) -> None:
        self.loop.call_soon_threadsafe(Connection.on_open, self)

    def send(self, command: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        if self.is_dropped:
            raise NotConnectedError("it ended")
        self.sent.append((command, headers))
        Connection.on_send(self, command, headers)

    def close(self) -> None:
        self.is_dropped = True

    drop = close


def answering(connection: Connection, _command: str, headers: Mapping[str, str]) -> None:
    if "receipt" in headers:
        connection.confirm(headers)


@pytest.fixture(autouse=True)
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Connection]:
    made: list[Connection] = []
    monkeypatch.setattr(module, "StompClient", Connection)
    monkeypatch.setattr(Connection, "made", made)
    monkeypatch.setattr(Connection, "on_open", lambda each: each.comes(CONNECTED), raising=False)
    monkeypatch.setattr(Connection, "on_send", answering, raising=False)
    return made


def link(*urls: str, receive: Callable[[Frame], None] = lambda _: None) -> StompLink:
    return StompLink(urls or ("stomp://a:1",), "me", receive)


async def test_a_connection_that_ends_as_soon_as_it_is_accepted_is_made_again(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    def brief(each: Connection) -> None:
        each.comes(CONNECTED, *(() if each.number else (ENDED,)))

    monkeypatch.setattr(Connection, "on_open", brief)
    async with link() as made:
        await eventually(lambda: made.connected and len(connections) == 2)


async def test_what_comes_before_all_subscriptions_are_active_again_is_acknowledged(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []

    def receive(frame: Frame) -> None:
        found.append(frame.headers["ack"])
        made.acknowledge(frame.headers["ack"])

    def backlog(each: Connection, command: str, headers: Mapping[str, str]) -> None:
        if command == "SUBSCRIBE" and each.number:
            each.comes(message(int(headers["id"])))
        answering(each, command, headers)

    monkeypatch.setattr(Connection, "on_send", backlog)
    async with link(receive=receive) as made:
        for number in ("1", "2"):
            await made.subscribe(number, {})
        connections[0].comes(ENDED)
        await eventually(lambda: made.counts["reconnects"] == 1)
        assert found == ["a1", "a2"]
        assert [each["id"] for command, each in connections[1].sent if command == "ACK"] == found
        assert made.counts["unacknowledged"] == 0


async def test_a_link_that_is_closed_while_it_subscribes_again_leaves_no_connection(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(each: Connection, command: str, headers: Mapping[str, str]) -> None:
        if not each.number:
            answering(each, command, headers)

    monkeypatch.setattr(Connection, "on_send", silent)
    made = await link().open()
    await made.subscribe("1", {})
    connections[0].comes(ENDED)
    await eventually(lambda: len(connections) == 2 and connections[1].sent)
    await made.close()
    assert connections[1].is_dropped


async def test_a_subscription_that_could_not_be_ended_is_ended_by_another_call(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(each: Connection, command: str, headers: Mapping[str, str]) -> None:
        if command == "UNSUBSCRIBE" and not each.number:
            each.comes(ENDED)
        else:
            answering(each, command, headers)

    monkeypatch.setattr(Connection, "on_send", lost)
    async with link() as made:
        await made.subscribe("1", {})
        with pytest.raises(NotConnectedError):
            await made.unsubscribe("1", "name")
        await eventually(lambda: made.connected)
        await made.unsubscribe("1", "name")
    ends = [each for command, each in connections[1].sent if command == "UNSUBSCRIBE"]
    assert [each.get("activemq.subscriptionName") for each in ends] == [None, "name"]


async def test_the_first_of_several_brokers_may_be_away(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Connection, "on_open", lambda each: each.comes(CONNECTED if each.number else ENDED)
    )
    async with link("stomp://a:1", "stomp://b:1") as made:
        assert made.connected
    assert [each.url for each in connections] == ["stomp://a:1", "stomp://b:1"]


async def test_each_broker_that_is_away_is_tried_once(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "on_open", lambda each: each.comes(ENDED))
    with pytest.raises(NotConnectedError):
        await link("stomp://a:1", "stomp://b:1").open()
    assert [each.url for each in connections] == ["stomp://a:1", "stomp://b:1"]


async def test_a_name_that_is_in_use_for_a_moment_is_taken_over(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = Frame("ERROR", {"message": "Broker: b - Client: me already connected from x"}, b"")

    def in_use(each: Connection) -> None:
        each.comes(CONNECTED if each.number == 2 else refusal)

    monkeypatch.setattr(Connection, "on_open", in_use)
    async with link() as made:
        assert made.connected
    assert all(each.is_dropped for each in connections)
    assert all(one.number < other.number for one, other in pairwise(connections))


async def test_what_came_on_a_connection_that_was_lost_before_it_was_restored_is_forgotten(
    connections: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker delivers it again, and knows no acknowledgement of before."""
    events: list[str] = []

    def backlog(each: Connection, command: str, headers: Mapping[str, str]) -> None:
        if command == "SUBSCRIBE" and each.number:
            each.comes(message(each.number))
        if command == "SUBSCRIBE" and each.number == 1:
            each.comes(ENDED)
        else:
            answering(each, command, headers)

    monkeypatch.setattr(Connection, "on_send", backlog)
    async with link(receive=lambda frame: events.append(frame.headers["ack"])) as made:
        made.on_lost = lambda: events.append("lost")
        await made.subscribe("1", {})
        connections[0].comes(ENDED)
        await eventually(lambda: made.connected and len(connections) == 3)
    assert events == ["lost", "a1", "lost", "a2"]
