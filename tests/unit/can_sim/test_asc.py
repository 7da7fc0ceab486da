import pytest
from can_sim.canlog.asc import AscParser
from can_sim.canlog.frame import Kind, LogFrame
from hypothesis import given
from hypothesis import strategies as st

HEADER = ["date Mon Jan 6 10:00:00.000 am 2025", "base hex  timestamps absolute", "// made by hand"]


def frames(*lines: str, base: str = HEADER[1]) -> list[LogFrame]:
    parser = AscParser()
    found = [parser.parse_line(line) for line in (HEADER[0], base, *lines)]
    return [frame for frame in found if frame is not None]


def test_words_after_the_data_bytes_are_ignored_d01() -> None:
    (found,) = frames(
        "   3.250000 1  1A0             Tx   d 8 6A 00 00 00 00 00 00 01"
        "  Length = 244016 BitCount = 125 ID = 416"
    )
    assert (found.time_us, found.can_id, found.direction) == (3_250_000, 0x1A0, "T")
    assert found.data == bytes.fromhex("6A00000000000001")


def test_a_length_code_above_eight_means_eight_bytes_d01() -> None:
    (found,) = frames("   3.250000 1  3FF  Rx   d D 55 AA 01 02 03 04 05 06  Length = 1")
    assert found.data == bytes.fromhex("55AA010203040506")


def test_a_short_frame_does_not_take_the_tail_for_data() -> None:
    (found,) = frames("   3.250000 1  3FF  Rx   d 2 55 AA AB CD = 7")
    assert found.data == b"\x55\xaa"


def test_an_x_makes_an_extended_identifier() -> None:
    (found,) = frames("   3.250000 1  3039x  Rx   d 1 01")
    assert (found.can_id, found.extended) == (12345, True)


def test_a_log_in_base_ten_is_read_in_base_ten() -> None:
    (found,) = frames("  1.000000 2  100  Rx  d 2 10 255", base="base dec timestamps absolute")
    assert (found.can_id, found.data) == (100, b"\x0a\xff")


def test_relative_times_add_up() -> None:
    found = frames(
        "  1.000000 2  100  Rx  d 0",
        "  0.500000 2  100  Rx  d 0",
        base="base hex timestamps relative",
    )
    assert [frame.time_us for frame in found] == [1_000_000, 1_500_000]


@pytest.mark.parametrize(
    "line",
    [
        "Begin Triggerblock Mon Jan 6 10:00:00.000 am 2025",
        "   0.000000 Start of measurement",
        "   0.015991 CAN 1 Status:chip status error passive - TxErr: 132 RxErr: 0",
        "   1.015991 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%",
        "   3.297743 1  J1939TP FEE3p  6  0  0   -   Rx   d 2 A0 0F",
        "End TriggerBlock",
        "",
    ],
)
def test_lines_that_tell_no_frame_are_passed_over(line: str) -> None:
    assert frames(line) == []


def test_error_and_remote_frames_are_no_data() -> None:
    found = frames(
        "   2.5 1 ErrorFrame ECC: 10100010",
        "   2.6 3 200 Tx r 8 Length = 1704000 BitCount = 145",
        "   2.7 CANFD   5 Tx ErrorFrame Not Acknowledge error",
    )
    assert [frame.kind for frame in found] == [Kind.ERROR, Kind.REMOTE, Kind.ERROR]
    assert found[1].remote_length == 8


def test_an_fd_frame_is_read_with_and_without_a_name() -> None:
    plain, named = frames(
        "  3.0 CANFD   1 Rx   300        1 0 8  8 11 12 13 14 15 16 17 18   102203  133 4b",
        "  3.1 CANFD   2 Tx   30Ax  Body_7  0 1 9 12 " + "0A " * 12 + "  102203  133 4b",
    )
    assert (plain.channel, plain.bit_rate_switch, len(plain.data)) == ("1", True, 8)
    assert (named.can_id, named.extended, named.error_state) == (0x30A, True, True)
    assert len(named.data) == 12


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("  3.0 1  1A0  Rx  d 8 6A 00", "2 data bytes instead of 8"),
        ("  3.0 1  1A0  Rx  d 2 6A Length = 3", "not bytes"),
        ("  3.0 1  1G0  Rx  d 1 6A", "identifier"),
        ("  3.0 1  900  Rx  d 1 6A", "out of range"),
        ("  3.0 1  1A0  Rx  q 1 6A", "neither data"),
        ("  3.0 CANFD   1 Rx   300  1 0 8  9 " + "00 " * 9, "9 bytes"),
    ],
)
def test_a_broken_frame_is_refused_with_its_reason(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        frames(line)


@given(st.text() | st.from_regex(r"\d\.\d (1|CANFD) [0-9a-fx]+ (Rx|Tx) [dr01] [-0-9a-f ]*"))
def test_any_text_gives_a_frame_nothing_or_a_value_error(text: str) -> None:
    try:
        found = AscParser().parse_line(text)
    except ValueError:
        return
    assert found is None or (found.can_id >= 0 and len(found.data) <= 64)


@pytest.mark.parametrize("number", ["-1", "0x2", "1_0", "+2"])
def test_only_plain_digits_are_numbers(number: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        frames(f"  3.0 1  1A0  Rx  d {number} 6A 00")
