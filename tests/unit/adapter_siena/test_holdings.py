"""Native subscriptions and advertisements are shared by counting."""

from collections.abc import Callable

import pytest
from adapter_siena.holdings import Advertisements, Subscriptions
from eventservices.errors import NotConnectedError
from eventservices.siena import Filter, covers, where

A = where(("FES_Subject", "=", "A"))
B = where(("FES_Subject", "=", "A"), ("x", "any"))
C = where(("FES_Subject", "=", "C"))


class FakeClient:
    """Stands for a native client."""

    def __init__(self) -> None:
        self.made: list[Filter] = []
        self.refused: set[Filter] = set()
        self.down = False

    async def subscribe(self, what: Filter, callback: Callable[..., None]) -> Filter:
        if what in self.refused:
            raise NotConnectedError("away")
        self.made.append(what)
        return what

    async def cancel(self, what: Filter) -> None:
        self.made.remove(what)
        if self.down:
            raise NotConnectedError("away")

    async def advertise(self, what: Filter) -> None:
        self.made.append(what)
        if self.down:
            raise NotConnectedError("away")

    async def unadvertise(self, what: Filter) -> list[Filter]:
        ended = [each for each in self.made if covers(each, what) or each == what]
        self.made = [each for each in self.made if each not in ended]
        return ended


def subscriptions(client: FakeClient) -> Subscriptions:
    return Subscriptions(client, lambda _event, _stamp: None)  # type: ignore[arg-type] # a fake


async def test_a_filter_that_several_want_is_subscribed_to_once() -> None:
    client = FakeClient()
    held = subscriptions(client)
    await held.hold((A, B))
    await held.hold((A,))
    assert client.made == [A, B]

    await held.release((A, B))
    assert client.made == [A]
    await held.release((A,))
    assert client.made == []
    assert len(held) == 0


async def test_all_filters_are_held_or_none() -> None:
    client = FakeClient()
    client.refused = {C}
    held = subscriptions(client)
    await held.hold((A,))

    with pytest.raises(NotConnectedError):
        await held.hold((A, B, C))

    assert client.made == [A]
    await held.release((A,))
    assert client.made == []


async def test_a_subscription_ends_though_the_broker_is_away() -> None:
    client = FakeClient()
    held = subscriptions(client)
    await held.hold((A,))
    client.down = True
    await held.release((A,))
    assert len(held) == 0


async def test_an_advertisement_that_another_covered_is_made_again() -> None:
    client = FakeClient()
    held = Advertisements(client)  # type: ignore[arg-type] # a fake
    for what in (A, B, B):
        await held.hold(what)
    assert client.made == [A, B]

    await held.release(B)
    assert client.made == [A, B]
    await held.release(B)
    assert client.made == [A]
    await held.release(A)
    assert client.made == []


async def test_an_advertisement_holds_though_the_broker_is_away() -> None:
    client = FakeClient()
    client.down = True
    held = Advertisements(client)  # type: ignore[arg-type] # a fake
    await held.hold(A)
    await held.hold(A)
    assert client.made == [A]
