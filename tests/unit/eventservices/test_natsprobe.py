import asyncio

import pytest
from eventservices.errors import NotConnectedError
from eventservices.natsprobe import Probes


async def test_who_waits_when_the_link_closes_is_told_so() -> None:
    probes = Probes()
    sent = asyncio.Event()

    async def send(_token: bytes) -> None:
        sent.set()

    waiting = asyncio.create_task(probes.run(send, 30.0))
    await sent.wait()
    probes.give_up()
    with pytest.raises(NotConnectedError):
        await waiting
    assert waiting.cancelling() == 0


async def test_a_probe_that_could_not_be_sent_leaves_no_error_that_nobody_takes() -> None:
    probes, complaints = Probes(), []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context["message"]))

    async def send(_token: bytes) -> None:
        probes.give_up()
        raise NotConnectedError("away")

    try:
        with pytest.raises(NotConnectedError, match="away"):
            await probes.run(send, 30.0)
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(None)
    assert complaints == []
