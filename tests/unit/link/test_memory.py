"""A link in memory that is full: urgent events go first, and who sent what went is told."""

from fes.link.end import Message
from fes.link.memory import MemoryEnd, memory_link
from fes.link.messages import Done, Heard
from fes.model import Stamp
from fes.testing.eventually import eventually


def heard(number: int, priority: int = 0) -> Heard:
    return Heard(Stamp("o", 1, number, 5, "home"), (), "Speed", (), 0, 0, priority, False, b"")


def counted(end: MemoryEnd) -> tuple[int, int]:
    return end.counters["link_sent"], end.counters["link_dropped"]


async def test_what_goes_for_an_urgent_event_is_told_to_who_sent_it_and_counted() -> None:
    near, far = memory_link(queue=2)
    displaced: list[Message] = []
    taken: list[Message] = []
    near.displaced_with(displaced.append)

    sent = [near.send(each) for each in (heard(1), heard(2), heard(3, 5), heard(4))]
    assert sent == [True, True, True, False]
    assert displaced == [heard(2)]
    assert counted(near) == (0, 2)

    far.receive_with(taken.append)
    near.send(Done(1))
    await eventually(lambda: taken == [Done(1), heard(3, 5), heard(1)])
    assert counted(near) == (3, 2)
    assert counted(far) == (0, 0)


async def test_who_is_told_may_send_again_at_once() -> None:
    near, far = memory_link(queue=1)
    taken: list[Message] = []

    def tell(_: Message) -> None:
        near.send(Done(7))

    near.displaced_with(tell)
    near.send(heard(1))
    near.send(heard(2, 1))

    far.receive_with(taken.append)
    await eventually(lambda: taken == [Done(7), heard(2, 1)])


async def test_what_is_sent_over_a_closed_link_is_counted_as_dropped() -> None:
    near, far = memory_link()
    await far.close()

    assert not near.send(heard(1))
    assert counted(near) == (0, 1)
