"""Native advertisements are shared by counting."""

from adapter_siena.advertisements import Advertisements
from eventservices.errors import NotConnectedError
from eventservices.siena import Filter, covers, where

A = where(("FES_Subject", "=", "A"))
B = where(("FES_Subject", "=", "A"), ("x", "any"))


class FakeClient:
    """Stands for a native client."""

    def __init__(self) -> None:
        self.made: list[Filter] = []
        self.down = False

    async def advertise(self, what: Filter) -> None:
        self.made.append(what)
        if self.down:
            raise NotConnectedError("away")

    async def unadvertise(self, what: Filter) -> list[Filter]:
        ended = [each for each in self.made if covers(each, what) or each == what]
        self.made = [each for each in self.made if each not in ended]
        return ended


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
