"""Tasks that keep something open: an error that nobody expected ends none of them."""

import pytest
from eventservices import lasting
from eventservices.cns import Connection
from eventservices.cns.membership import Membership
from eventservices.cosmic import Bus, Delivery, Frame, NodeSettings
from eventservices.servers import NatsServer
from eventservices.siena import Connection as SienaConnection
from eventservices.siena import Options
from eventservices.siena.control import Control
from fes.testing.eventually import eventually
from support.processes.canbus import virtual


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting, "RESTART_S", 0.01)


class Failing:
    """Stands for a method, and fails as often as it is told to.

    Args:
        times: How often.
    """

    def __init__(self, times: int) -> None:
        self.left = times
        self.calls = 0

    def __call__(self, *_: object, **__: object) -> None:
        self.calls += 1
        if self.left > 0:
            self.left -= 1
            raise KeyError("a bug")

    async def later(self, *given: object, **named: object) -> None:
        """Do so, and be waited for."""
        self(*given, **named)


async def test_a_bus_goes_on_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Bus(virtual()) as bus:
        got: list[Delivery] = []
        one = bus.node(NodeSettings("one", 1))
        bus.node(NodeSettings("two", 2)).listen(5, on_event=got.append)
        failing = Failing(1)
        with monkeypatch.context() as patch:
            patch.setattr(bus._wire._driver, "send", failing)
            one.send_frame(Frame(5, b"lost"))
            await eventually(lambda: failing.calls)

        async def arrives() -> bool:
            one.send_frame(Frame(5, b"after"))
            return bool(got)

        await eventually(arrives)
        assert {each.content for each in got} == {b"after"}


async def test_a_bus_goes_on_looking_for_its_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Bus(virtual()) as bus:
        driver, failing = bus._wire._driver, Failing(2)
        open_ = driver.open

        def opened() -> None:
            failing()
            open_()

        monkeypatch.setattr(driver, "open", opened)
        bus._wire.give_up("as if the cable had been pulled")
        await eventually(lambda: bus.connected and not driver.broken)
        assert failing.calls == 3


@pytest.mark.broker
async def test_a_channel_goes_on_telling_that_it_is_there(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(2)
    monkeypatch.setattr(Membership, "beat", failing.later)
    async with Connection(server.url, beat_s=0.02) as connection:
        await connection.open_channel("lasting")
        await eventually(lambda: failing.calls > 4)


@pytest.mark.broker
async def test_a_connection_of_siena_goes_on_telling_that_it_is_there(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(2)
    monkeypatch.setattr(Control, "_introduce", failing.later)
    options = Options(digest_interval_s=0.02, join_wait_s=0.05)
    async with SienaConnection([server.url], "lasting", options=options):
        await eventually(lambda: failing.calls > 4)
