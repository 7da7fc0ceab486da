"""Native subscriptions of JMS: all that is new is made, or nothing of it."""

from typing import Any

import pytest
from adapter_jms.subscriptions import Subscriptions
from eventservices.errors import RefusedError
from eventservices.jms.source import Source

TOPIC, OTHER = Source("topic", "a", "n > 1"), Source("topic", "b", "")
QUEUE = Source("queue", "q", "")


class Session:
    """A connection whose broker has what was consumed and not ended.

    Attributes:
        active: What is subscribed to, by number, and its durable name.
        refused: Pattern that the broker refuses.
    """

    def __init__(self) -> None:
        self.active: dict[str, tuple[Source, str]] = {}
        self.refused = ""
        self.serial = 0

    async def consume(self, source: Source, durable: str = "") -> str:
        if source.pattern == self.refused:
            raise RefusedError(f"{source.pattern} is not permitted")
        self.serial += 1
        self.active[str(self.serial)] = (source, durable)
        return str(self.serial)

    async def end(self, number: str, durable: str = "") -> None:
        assert self.active.pop(number)[1] == durable

    def patterns(self) -> list[str]:
        return [source.pattern for source, _ in self.active.values()]


def made(session: Any, *, persistent: bool = False) -> Subscriptions:
    return Subscriptions(session, "me", persistent=persistent)


async def test_where_one_is_refused_none_is_left_of_those_that_were_new() -> None:
    session = Session()
    subscriptions = made(session)
    await subscriptions.want(1, (QUEUE,))
    session.refused = "b"
    with pytest.raises(RefusedError):
        await subscriptions.want(2, (QUEUE, TOPIC, OTHER))
    assert session.patterns() == ["q"]
    session.refused = ""
    await subscriptions.want(2, (TOPIC, OTHER))
    await subscriptions.forget(1)
    assert session.patterns() == ["a", "b"]
    assert len(subscriptions) == 2


async def test_own_messages_are_left_out_of_queues_alone() -> None:
    session = Session()
    await made(session).want(1, (TOPIC, QUEUE))
    selectors = {source.kind: source.selector for source, _ in session.active.values()}
    assert selectors["queue"] == "(FES_Client IS NULL OR FES_Client <> 'me')"
    assert "FES_Client" not in selectors["topic"]


async def test_the_broker_keeps_topics_under_a_name_that_is_the_same_after_a_restart() -> None:
    names = []
    for _ in range(2):
        session = Session()
        subscriptions = made(session, persistent=True)
        await subscriptions.want(1, (TOPIC, OTHER, QUEUE))
        names.append([durable for _, durable in session.active.values()])
        await subscriptions.forget(1)
        assert not session.active
    assert names[0] == names[1]
    first, second, queue = names[0]
    assert first != second
    assert queue == ""
