"""Messages are acknowledged once they are done, and all their copies with them."""

import pytest
from eventservices.jms import receipts as module
from eventservices.jms.message import JmsMessage
from eventservices.jms.receipts import Receipts


def message(identifier: str, ack: str) -> JmsMessage:
    return JmsMessage("topic", "a", {"message-id": identifier, "ack": ack}, b"")


def test_a_message_is_acknowledged_once_it_is_done_and_its_copies_with_it() -> None:
    acknowledged: list[str] = []
    receipts = Receipts(acknowledged.append)
    number = receipts.accept(message("m", "a1"))
    assert number is not None
    assert receipts.accept(message("m", "a2")) is None
    assert acknowledged == []
    receipts.done(number)
    assert acknowledged == ["a1", "a2"]
    assert receipts.accept(message("m", "a3")) is None
    assert acknowledged == ["a1", "a2", "a3"]
    receipts.done(number)
    assert (acknowledged, receipts.copies) == (["a1", "a2", "a3"], 2)


def test_after_a_loss_what_comes_again_is_acknowledged_in_its_place() -> None:
    acknowledged: list[str] = []
    receipts = Receipts(acknowledged.append)
    number = receipts.accept(message("m", "old"))
    assert number is not None
    receipts.lost()
    assert receipts.accept(message("m", "new")) is None
    receipts.done(number)
    assert acknowledged == ["new"]


def test_a_message_without_an_identifier_has_no_copies() -> None:
    receipts = Receipts(lambda _: None)
    assert [receipts.accept(message("", "a")) for _ in range(2)] == [1, 2]


def test_the_oldest_is_forgotten_and_acknowledged_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SEEN", 2)
    acknowledged: list[str] = []
    receipts = Receipts(acknowledged.append)
    numbers = [receipts.accept(message(f"m{n}", f"a{n}")) for n in range(3)]
    assert receipts.accept(message("m0", "again")) == 4
    assert numbers[0] is not None
    receipts.done(numbers[0])
    assert acknowledged == ["a0"]
