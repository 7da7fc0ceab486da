"""What a session consumes is acknowledged in time, and what it sends is a frame."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import pytest
from eventservices.errors import MalformedError, NotConnectedError, RefusedError
from eventservices.jms.message import JmsMessage
from eventservices.jms.source import Source
from eventservices.stomp import session as module
from eventservices.stomp.client import Frame
from eventservices.stomp.session import Session


class Link:
    """A link whose broker does what a test has it do."""

    made: ClassVar[list["Link"]] = []

    def __init__(
        self, urls: Sequence[str], client_id: str, receive: Callable[[Frame], None]
    ) -> None:
        self.counts = {"reconnects": 3}
        self.on_lost: Callable[[], None] = lambda: None
        self.receive = receive
        self.acknowledged: list[str] = []
        self.subscribed: dict[str, Mapping[str, str]] = {}
        self.ended: list[tuple[str, str]] = []
        self.sent: list[tuple[Mapping[str, str], bytes, bool]] = []
        self.fault: Exception | None = None
        self.made.append(self)

    def acknowledge(self, ack: str) -> None:
        self.acknowledged.append(ack)

    async def subscribe(self, number: str, headers: Mapping[str, str]) -> None:
        if self.fault is not None:
            raise self.fault
        self.subscribed[number] = headers

    async def unsubscribe(self, number: str, durable: str = "") -> None:
        if self.fault is not None:
            raise self.fault
        self.ended.append((number, durable))

    async def send(self, headers: Mapping[str, str], body: bytes, *, confirmed: bool) -> None:
        self.sent.append((headers, body, confirmed))


class Received:
    """Notes what a session receives."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, int]] = []
        self.unread: list[tuple[str, bytes]] = []

    def message(self, message: JmsMessage, number: int) -> None:
        self.messages.append((message.body, number))

    def no_message(self, reason: str, body: bytes) -> None:
        self.unread.append((reason, body))


@pytest.fixture
def received() -> Received:
    return Received()


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, received: Received) -> Session:
    monkeypatch.setattr(module, "StompLink", Link)
    return Session(["stomp://x"], "me", received.message, received.no_message, 7)


@pytest.fixture
def link(session: Session) -> Link:
    assert session is not None
    return Link.made[-1]


def frame(number: int, subscription: str = "s1", **headers: str) -> Frame:
    own = {
        "destination": "/topic/a",
        "message-id": f"m{number}",
        "ack": f"a{subscription}.{number}",
    }
    return Frame("MESSAGE", {**own, "subscription": subscription, **headers}, b"%d" % number)


async def test_a_subscription_is_a_frame_and_ends_with_what_the_broker_keeps(
    session: Session, link: Link
) -> None:
    one = await session.consume(Source("topic", "a.*", "n > 1"), "kept")
    other = await session.consume(Source("queue", "q", ""))
    assert link.subscribed[one] == {
        "destination": "/topic/a.*", "ack": "client-individual", "selector": "n > 1",
        "activemq.prefetchSize": "7", "transformation": "jms-map-xml",
        "activemq.subscriptionName": "kept",
    }  # fmt: skip
    assert link.subscribed[other].keys().isdisjoint({"selector", "activemq.subscriptionName"})
    await session.end(one, "kept")
    assert link.ended == [(one, "kept")]
    link.fault = RefusedError("it is not there")
    await session.end(one, "kept")
    link.fault = NotConnectedError("away")
    with pytest.raises(NotConnectedError):
        await session.end(other)


def test_a_message_comes_once_and_is_acknowledged_once_it_is_done(
    session: Session, link: Link, received: Received
) -> None:
    for each in (frame(1), frame(1, "s2"), frame(2)):
        link.receive(each)
    assert received.messages == [(b"1", 1), (b"2", 2)]
    assert link.acknowledged == []
    session.done(1)
    assert link.acknowledged == ["as1.1", "as2.1"]
    link.on_lost()
    session.done(2)
    assert link.acknowledged == ["as1.1", "as2.1"]
    assert session.counters() == {"link_reconnects": 3, "copies": 1}


async def test_who_listens_receives_copies_and_everything_is_acknowledged_at_once(
    session: Session, link: Link, received: Received
) -> None:
    heard: list[bytes] = []
    await session.listen("mine", Source("topic", "a", ""), lambda each: heard.append(each.body))
    link.receive(frame(1))
    link.receive(frame(1, "mine"))
    assert (heard, received.messages) == ([b"1"], [(b"1", 1)])
    assert link.acknowledged == ["amine.1"]


async def test_who_could_not_subscribe_does_not_listen(
    session: Session, link: Link, received: Received
) -> None:
    link.fault = RefusedError("no")
    heard: list[Any] = []
    with pytest.raises(RefusedError):
        await session.listen("mine", Source("topic", "a", ""), heard.append)
    link.receive(frame(1, "mine"))
    assert (heard, received.messages) == ([], [(b"1", 1)])


def test_a_frame_that_is_no_message_is_acknowledged_and_reported(
    session: Session, link: Link, received: Received
) -> None:
    assert session is not None
    link.receive(frame(1, destination="elsewhere"))
    ((reason, body),) = received.unread
    assert "neither a topic nor a queue" in reason
    assert (body, link.acknowledged) == (b"1", ["as1.1"])


async def test_a_body_with_an_octet_that_ends_frames_has_a_length(
    session: Session, link: Link
) -> None:
    await session.send(("topic", "a"), {"rate": "1"}, b"text")
    await session.send(("queue", "q"), {}, b"a\0b", confirmed=True)
    await session.send(("queue", "q"), {}, b"ab", as_bytes=True)
    assert link.sent == [
        ({"rate": "1", "destination": "/topic/a"}, b"text", False),
        ({"destination": "/queue/q", "content-length": "3"}, b"a\0b", True),
        ({"destination": "/queue/q", "content-length": "2"}, b"ab", False),
    ]
    with pytest.raises(MalformedError, match="'note' has the character that ends a frame"):
        await session.send(("topic", "a"), {"note": "a\0"}, b"")
