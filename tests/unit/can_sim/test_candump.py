import pytest
from can_sim.canlog.candump import format_frame, has_short_fraction, parse_line
from can_sim.canlog.frame import Kind, LogFrame
from hypothesis import given
from hypothesis import strategies as st

frames = st.builds(
    LogFrame,
    time_us=st.integers(0, 10**17),
    channel=st.just("can0"),
    can_id=st.integers(0, 0x7FF),
    extended=st.booleans(),
    data=st.binary(max_size=8),
    fd=st.booleans(),
)


def frame(line: str) -> LogFrame:
    found = parse_line(line)
    assert found is not None
    return found


def test_a_classic_frame_is_read_with_time_channel_and_data() -> None:
    assert frame("(1600000000.000123) can0 12A#0102fF") == LogFrame(
        1_600_000_000_000_123, "can0", 0x12A, extended=False, data=b"\x01\x02\xff"
    )


def test_eight_digits_make_an_extended_identifier() -> None:
    found = frame("(1600000000.5) can0 00003039#5445535430303142")
    assert (found.can_id, found.extended, found.data) == (12345, True, b"TEST001B")


@pytest.mark.parametrize(
    "line",
    [
        "(1600000000.000000) can1 20000008#0000000000000000",
        "(1600000000.000000) can1 20000004#0010000000000000",
        "  can1  20000004   [8]  00 10 00 00 00 00 00 00   ERRORFRAME",
    ],
)
def test_an_error_frame_is_never_data_d02(line: str) -> None:
    assert frame(line).kind is Kind.ERROR


def test_the_two_letters_r_are_told_apart_d03() -> None:
    plain, received = frame("(1.000000) can1 100#R"), frame("(1.000000) can1 100#R R")
    assert (plain.kind, plain.direction) == (Kind.REMOTE, "")
    assert (received.kind, received.direction) == (Kind.REMOTE, "R")
    sent = frame("(1.000000) can1 100#AB T")
    assert (sent.kind, sent.direction) == (Kind.DATA, "T")


def test_the_plain_form_is_written_unless_asked_otherwise_d03() -> None:
    found = frame("(1643387200.593986) can1 100#R R")
    assert format_frame(found) == "(1643387200.593986) can1 100#R"
    assert format_frame(found, direction=True) == "(1643387200.593986) can1 100#R R"


@pytest.mark.parametrize(
    "line",
    [
        "(1600000000.000001) can0 7FF#",
        "(1600000000.000001) can0 1FFFFFFF#00",
        "(1600000000.000001) can0 123#R8",
        "(1600000000.000001) can0 123#0011223344556677_C",
        "(1600000000.000001) can0 123##3AABB",
        "(1600000000.000001) can0 20000004#0010000000000000",
    ],
)
def test_what_is_written_reads_as_it_was(line: str) -> None:
    assert format_frame(frame(line)) == line


def test_a_remote_frame_tells_the_length_it_asks_for() -> None:
    assert frame("(1.000000) c 123#R5").remote_length == 5


def test_a_raw_length_code_stands_beside_eight_bytes() -> None:
    found = frame("(1.000000) c 123#0011223344556677_b")
    assert (len(found.data), found.raw_dlc) == (8, 0xB)


def test_fd_flags_are_read_from_their_bits() -> None:
    found = frame("(1.000000) c 18DB33F1##5" + "0A" * 12)
    assert (found.fd, found.bit_rate_switch, found.error_state) == (True, True, False)
    assert len(found.data) == 12


def test_an_fd_frame_may_be_empty() -> None:
    assert frame("(1.000000) c 123##F").data == b""


def test_dotted_bytes_are_accepted() -> None:
    assert frame("(1.000000) c 123#0A.0B.0C").data == b"\x0a\x0b\x0c"


def test_the_screen_form_is_read() -> None:
    found = frame(" (000.000249)  can0  TX - -  12A  [3]  2A 36 6C   '*6l'")
    assert (found.time_us, found.direction, found.data) == (249, "T", b"\x2a\x36\x6c")
    assert frame("  can0  123   [2]  11 22").time_us is None
    assert frame("  can0  123   [0]  remote request").kind is Kind.REMOTE


@pytest.mark.parametrize("line", ["", "   \r\n", "# made by hand"])
def test_blank_lines_and_comments_tell_nothing(line: str) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize("line", ["(5.250000) c 1A2#00\r\n", "   (5.250000) c 1A2#00   "])
def test_line_ends_and_blanks_around_do_not_matter(line: str) -> None:
    assert frame(line).time_us == 5_250_000


@pytest.mark.parametrize(
    ("text", "time_us"), [("(0000052894.459000)", 52_894_459_000), ("(7)", 7_000_000)]
)
def test_times_may_have_leading_zeros_or_no_fraction(text: str, time_us: int) -> None:
    assert frame(f"{text} c 1A2#00").time_us == time_us


def test_a_short_fraction_is_a_decimal_and_is_told() -> None:
    line = "(7.24) c 1A2#00"
    assert frame(line).time_us == 7_240_000
    assert has_short_fraction(line)
    assert not has_short_fraction("(7.240000) c 1A2#00")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("(1.000000) c 123#112", "odd number"),
        ("(1.000000) c 123#001122334455667788", "9 bytes"),
        ("(1.000000 c 123#11", "neither"),
        ("(1.000000) c 800#00", "out of range"),
        ("(1.000000) c 40000001#00", "out of range"),
        ("(1.000000) c 1234#00", "3 nor 8"),
        ("(1.000000) c 123#zz", "not hexadecimal"),
        ("(1.000000) c 123#00_9", "needs 8 bytes"),
        ("(1.000000) c 123##", "flags"),
        ("(1.000000) c 123##0" + "00" * 9, "9 bytes"),
        ("  c  123  [4]  11 22", "does not fit"),
    ],
)
def test_a_broken_line_is_refused_with_its_reason(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_line(line)


@given(frames)
def test_every_frame_reads_as_it_was_written(written: LogFrame) -> None:
    assert parse_line(format_frame(written)) == written


@given(st.text() | st.from_regex(r"\(\d+\.\d+\) c [0-9A-F]{3}#[0-9A-FR_.#]*( [RT])?"))
def test_any_text_gives_a_frame_nothing_or_a_value_error(text: str) -> None:
    try:
        found = parse_line(text)
    except ValueError:
        return
    assert found is None or len(found.data) <= 64
