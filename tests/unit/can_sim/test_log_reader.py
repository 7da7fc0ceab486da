import gzip
from pathlib import Path

import can
import pytest
from can_sim.canlog.frame import Kind
from can_sim.canlog.reader import read_frames
from can_sim.errors import InputError
from can_sim.tally import Tally

GOOD = b"(1600000000.000000) can0 00003039#5445535430303142\n"


def written(folder: Path, data: bytes, name: str = "made.log") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_broken_line_is_counted_with_its_number_and_the_next_one_read(tmp_path: Path) -> None:
    tally = Tally()
    path = written(tmp_path, GOOD + b"(16 can0 1#2\n" + GOOD)
    assert len(list(read_frames(path, tally))) == 2
    assert tally.skipped["broken_line"] == 1
    assert f"{path}:2: " in tally.notes[0]


def test_a_strict_tally_refuses_a_broken_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + b"(16 can0 1#2\n")
    with pytest.raises(InputError, match=":2: is neither"):
        list(read_frames(path, Tally(strict=True)))


def test_a_record_after_nul_bytes_is_read(tmp_path: Path) -> None:
    tally = Tally()
    frames = list(read_frames(written(tmp_path, GOOD + bytes(500) + GOOD), tally))
    assert len(frames) == 2
    assert tally.skipped == {"nul_bytes": 1}


def test_a_record_cut_by_nul_bytes_is_broken_and_the_one_after_it_read(tmp_path: Path) -> None:
    tally = Tally()
    frames = list(read_frames(written(tmp_path, GOOD[:20] + bytes(9) + GOOD), tally))
    assert len(frames) == 1
    assert tally.skipped == {"nul_bytes": 1, "broken_line": 1}


def test_a_line_of_any_length_is_read_in_pieces(tmp_path: Path) -> None:
    data = bytes(200_000) + b"\n" + GOOD
    assert len(list(read_frames(written(tmp_path, data), Tally()))) == 1


def test_a_channel_that_is_not_utf8_is_shown_in_escapes(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace(b"can0", b"can\xff"))
    assert [frame.channel for frame in read_frames(path, Tally())] == ["can\\xff"]


def test_a_last_line_cut_within_its_bytes_is_broken(tmp_path: Path) -> None:
    tally = Tally()
    assert len(list(read_frames(written(tmp_path, GOOD + GOOD[:-4]), tally))) == 1
    assert tally.skipped["broken_line"] == 1


def test_frames_keep_the_order_of_the_log_when_its_time_goes_back(tmp_path: Path) -> None:
    path = written(tmp_path, b"(9.000000) c 1A2#01\n(8.000000) c 1A2#02\n")
    assert [frame.data for frame in read_frames(path, Tally())] == [b"\x01", b"\x02"]


def test_a_short_fraction_is_noted_once_and_counted(tmp_path: Path) -> None:
    tally = Tally()
    list(read_frames(written(tmp_path, b"(9.5) c 1A2#01\n" * 3), tally))
    assert tally.skipped["short_fraction"] == 3
    assert len(tally.notes) == 1


def test_a_compressed_log_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(GOOD), "made.log.gz")
    assert len(list(read_frames(path, Tally()))) == 1


def test_a_compressed_log_that_is_cut_off_is_read_up_to_there_and_counted(tmp_path: Path) -> None:
    lines = b"".join(b"(%d.000000) can0 123#%04X\n" % (n, n * 7919 % 65536) for n in range(2000))
    path = written(tmp_path, gzip.compress(lines)[:-2000], "made.log.gz")
    tally = Tally()
    found = list(read_frames(path, tally))
    assert 1000 < len(found) < 2000
    assert [frame.time_us for frame in found] == [n * 1_000_000 for n in range(len(found))]
    assert tally.skipped["cut_off"] == 1
    assert "made.log.gz: compressed data is broken" in tally.notes[0]
    with pytest.raises(InputError, match=r"made\.log\.gz: compressed data is broken"):
        list(read_frames(path, Tally(strict=True)))


def test_an_absent_log_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.log: No such file"):
        list(read_frames(tmp_path / "absent.log", Tally()))


def test_a_blf_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made.blf"
    with can.BLFWriter(str(path)) as writer:
        writer.on_message_received(_message(1_700_000_000.25))
        writer.on_message_received(can.Message(1_700_000_001.0, is_error_frame=True))
    first, second = read_frames(path, Tally())
    assert (first.time_us, first.can_id, first.data) == (1_700_000_000_250_000, 12345, b"TEST001B")
    assert second.kind is Kind.ERROR


def test_a_trc_log_is_read(tmp_path: Path) -> None:
    text = (
        ";$FILEVERSION=1.1\n;$STARTTIME=43101.5\n"
        "     1)      1250.0  Rx        3039  8  54 45 53 54 30 30 31 42\n"
    )
    (found,) = read_frames(written(tmp_path, text.encode(), "made.trc"), Tally())
    assert (found.can_id, found.data) == (12345, b"TEST001B")
    assert found.time_us == 1_514_808_001_250_000


@pytest.mark.parametrize("name", ["made.blf", "made.trc"])
def test_a_broken_binary_log_names_its_file(tmp_path: Path, name: str) -> None:
    data = b";$FILEVERSION=1.1\n     1)  12.0  Rx  zz  8  54\n"
    with pytest.raises(InputError, match=name):
        list(read_frames(written(tmp_path, data, name), Tally()))


def _message(timestamp: float) -> can.Message:
    return can.Message(timestamp, 12345, is_extended_id=True, data=b"TEST001B", channel=0)
