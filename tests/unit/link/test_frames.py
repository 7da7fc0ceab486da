"""Frames, windows and lanes."""

import pytest
from fes.errors import LinkError
from fes.link.frames import ACK_EVERY, WINDOW, Frame, Window, decode_frame, encode_frame
from fes.link.lanes import FRAME_BYTES, FRAME_MESSAGES, Lanes
from fes.link.messages import (
    Confirmed,
    Done,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Subscribe,
    Taken,
)
from fes.model import Stamp

STAMP = Stamp("o", 1, 1, 5, "home")


def heard(number: int, body: bytes = b"x") -> Heard:
    return Heard(STAMP, ("a",), "Speed", (number,), 3, 0, 0, False, body)


def test_every_message_survives_a_frame() -> None:
    messages = (
        heard(1),
        HeardControl(None, b"y"),
        Done(4, error="no", widened=("a",)),
        Subscribe(1, "Speed", 2),
        Publish(STAMP, (), 9, b"z"),
        Confirmed(5, "is away", retryable=True),
        Taken(6, taken=False),
    )
    frame = Frame(3, 2, messages)

    assert decode_frame(encode_frame(frame)) == frame


@pytest.mark.parametrize("data", [b"", b"\x93\x01", "text", b"\x90", b"\xff" * 100])
def test_what_is_no_frame_is_a_link_error(data: bytes | str) -> None:
    with pytest.raises(LinkError, match="frame"):
        decode_frame(data)


def test_control_traffic_passes_events_that_wait() -> None:
    lanes = Lanes()
    lanes.put(heard(1))
    lanes.put(Done(7))

    assert lanes.take() == (Done(7), heard(1))


def test_events_above_the_bound_are_dropped_and_counted_but_control_is_not() -> None:
    lanes = Lanes(queue=2)
    taken = [lanes.put(heard(number)) for number in range(4)]

    assert taken == [True, True, False, False]
    assert lanes.put(Done(1))
    assert lanes.dropped == 2


def test_a_frame_is_bounded_by_count_and_size() -> None:
    lanes = Lanes()
    for number in range(FRAME_MESSAGES + 10):
        lanes.put(heard(number))
    assert len(lanes.take()) == FRAME_MESSAGES
    assert len(lanes.take()) == 10

    for number in range(10):
        lanes.put(heard(number, bytes(FRAME_BYTES // 4)))
    assert len(lanes.take()) == 4


def test_the_window_closes_and_opens_with_acknowledgements() -> None:
    ours, theirs = Window(), Window()
    frames = [ours.frame((Done(number),)) for number in range(WINDOW)]
    open_then = ours.is_open
    assert ours.unacknowledged_messages == WINDOW

    for frame in frames[: ACK_EVERY - 1]:
        theirs.take(frame)
    due_then = theirs.must_acknowledge
    theirs.take(frames[ACK_EVERY - 1])
    assert (due_then, theirs.must_acknowledge) == (False, True)
    ours.take(theirs.frame(()))

    assert (open_then, ours.is_open) == (False, True)
    assert ours.unacknowledged_messages == WINDOW - ACK_EVERY
    assert not theirs.may_acknowledge


@pytest.mark.parametrize("frame", [Frame(2, 0, (Done(1),)), Frame(0, 1), Frame(1, -1, (Done(1),))])
def test_a_frame_out_of_order_breaks_the_link(frame: Frame) -> None:
    with pytest.raises(LinkError):
        Window().take(frame)


def test_control_traffic_above_its_bound_cuts_the_link() -> None:
    lanes = Lanes(control=2)

    assert [lanes.put(Done(number)) for number in range(3)] == [True, True, False]
    assert (lanes.dropped, lanes.cut) == (1, True)


def test_a_lane_is_bounded_in_bytes() -> None:
    lanes = Lanes(lane_bytes=1000)

    assert [lanes.put(heard(number, bytes(600))) for number in range(3)] == [True, True, False]
    lanes.take()
    assert lanes.put(heard(4))


def test_control_events_that_carry_events_are_dropped_as_events_are() -> None:
    lanes = Lanes(queue=1, control=1)

    assert lanes.put(HeardControl(None, b"", publication=True))
    assert not lanes.put(PublishControl(b"", publication=True))
    assert lanes.put(PublishControl(b""))
    assert not lanes.cut
