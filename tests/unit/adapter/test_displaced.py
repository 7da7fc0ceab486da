"""What goes for something more urgent on its way to the gateway is given back to its service."""

from eventservices.stamp import Stamp
from fes.adapter import AdapterRuntime
from fes.adapter.pool import ConnectionPool
from fes.eventlog import Decision
from fes.link.memory import memory_link
from fes.link.messages import Subscribe
from fes.mapping import Native
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter
from support.memory_log import MemoryLog
from support.processes.contexts import adapter_context


async def test_an_event_that_goes_for_an_urgent_one_is_delivered_again() -> None:
    adapter = MemoryAdapter(adapter_context("g", "displaced", MemoryAdapter, ConnectionPool()))
    log = MemoryLog()
    runtime = AdapterRuntime(adapter, log)
    _near, far = memory_link(queue=1)
    far.displaced_with(runtime.displaced)
    runtime.attach(far)
    answers: list[bool] = []
    async with runtime:
        runtime.receive(Subscribe(1, "Speed", 1))
        await eventually(lambda: runtime.outbound.subscriptions)
        for number, priority in enumerate((0, 5), 1):
            event = Event.of("Speed", {"rate": 1.0}, {"Priority": priority})
            native = Native(event.subject, event.parameters, event.attributes)
            runtime.heard(native, Stamp("car", 1, number, 5, "home"), answers.append)
        assert answers == [False]
        assert runtime.counted().counters["replica_displaced"] == 1
    dropped = [r for r in log.records if r.decision == Decision.DROPPED]
    assert [(r.id, r.reason) for r in dropped] == [("car/1/1", "link queue full")]
