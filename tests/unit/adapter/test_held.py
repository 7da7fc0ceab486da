"""Native subscriptions are made once, however many need them."""

import pytest
from fes.adapter.outbound.held import Held


class Client:
    """Stands for a native client."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.refused: set[str] = set()

    async def subscribe(self, what: str) -> str:
        if what in self.refused:
            raise ConnectionError("away")
        self.made.append(what)
        return what

    async def cancel(self, what: str) -> None:
        self.made.remove(what)


async def test_what_several_need_is_made_once_and_ends_with_the_last() -> None:
    client = Client()
    held = Held(client.subscribe, client.cancel)
    await held.add(1, ("a", "b", "a"))
    await held.add(2, ("a",))
    assert client.made == ["a", "b"]

    await held.remove(1)
    assert client.made == ["a"]
    await held.remove(2)
    await held.remove(2)
    assert client.made == []
    assert len(held) == 0


async def test_all_is_made_or_nothing() -> None:
    client = Client()
    client.refused = {"c"}
    held = Held(client.subscribe, client.cancel)
    await held.add(1, ("a",))

    with pytest.raises(ConnectionError):
        await held.add(1, ("a", "b", "c"))

    assert client.made == ["a"], "what was there stays"
    await held.remove(1)
    assert client.made == []


async def test_a_subscription_is_replaced_without_a_gap() -> None:
    client = Client()
    held = Held(client.subscribe, client.cancel)
    await held.add(1, ("a", "b"))
    await held.add(1, ("b", "c"))
    assert client.made == ["b", "c"]
