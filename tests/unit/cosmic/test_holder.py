from eventservices.cosmic.attributes import EventAttributes, Following
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.holder import MOST_HELD, Holder
from eventservices.stamp import Stamp

ID = 0x3039


class Bench:
    """A holder and what it handed over: content, and sequence of the stamp."""

    def __init__(self) -> None:
        self.out: list[tuple[bytes, int | None]] = []
        self.holder = Holder(self._take)

    def _take(self, frame: Frame, attributes: EventAttributes | None) -> None:
        stamp = attributes.stamp if attributes is not None else None
        self.out.append((frame.data, stamp.sequence if stamp else None))

    def put(self, content: bytes, now_us: int = 0, wait_us: int = 100, before_us: int = 0) -> None:
        self.holder.put(Frame(ID, content), now_us + wait_us, before_us, now_us)

    def follow(self, content: bytes, sequence: int, now_us: int = 0) -> None:
        told = EventAttributes(Stamp("o", 1, sequence, 0, "h"))
        self.holder.follow(Following(ID, True, content, told), now_us)


def test_an_event_is_handed_over_once_its_attributes_have_followed() -> None:
    bench = Bench()
    bench.put(b"a")
    assert not bench.out
    bench.follow(b"a", 1)
    assert bench.out == [(b"a", 1)]


def test_an_event_whose_attributes_do_not_follow_comes_without() -> None:
    bench = Bench()
    bench.put(b"a")
    bench.holder.release(99)
    assert not bench.out
    bench.holder.release(100)
    assert bench.out == [(b"a", None)]


def test_attributes_of_a_later_event_say_that_those_before_are_lost() -> None:
    bench = Bench()
    bench.put(b"a")
    bench.put(b"b")
    bench.follow(b"b", 2)
    assert bench.out == [(b"a", None), (b"b", 2)]


def test_events_of_equal_content_get_their_attributes_in_order() -> None:
    bench = Bench()
    bench.put(b"a")
    bench.put(b"a")
    bench.follow(b"a", 1)
    bench.follow(b"a", 2)
    assert bench.out == [(b"a", 1), (b"a", 2)]


def test_attributes_that_come_before_their_event_wait_for_it() -> None:
    bench = Bench()
    bench.follow(b"a", 1)
    bench.put(b"a")
    assert bench.out == [(b"a", 1)]


def test_an_event_is_not_handed_over_before_its_slot_ends() -> None:
    bench = Bench()
    bench.put(b"a", before_us=50)
    bench.follow(b"a", 1, 10)
    assert not bench.out
    assert bench.holder.wake_us() == 50
    bench.holder.release(50)
    assert bench.out == [(b"a", 1)]


def test_another_source_does_not_wait() -> None:
    bench = Bench()
    bench.put(b"a")
    bench.holder.put(Frame(0x123, b"b", False), 0, 0, 0)
    assert bench.out == [(b"b", None)]


def test_what_is_held_is_bounded() -> None:
    bench = Bench()
    for number in range(MOST_HELD + 5):
        bench.put(number.to_bytes(2, "big"))
    assert len(bench.out) == 5
    assert bench.out[0] == (b"\0\0", None)
