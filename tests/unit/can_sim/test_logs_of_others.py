"""CAN logs as other tools write them, and as loggers leave them that lost power."""

import gzip
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import can
import pytest
from can_sim.canlog.frame import Kind, LogFrame
from can_sim.canlog.reader import read_frames
from can_sim.errors import InputError
from can_sim.sources.choose import Inputs, read_trace
from can_sim.tally import Tally

START_US = 1_772_359_200_000_000
HEADER = 144


def frames(
    folder: Path, name: str, data: str | bytes, tally: Tally | None = None
) -> list[LogFrame]:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    found = []
    for frame in read_frames(path, tally or Tally()):
        found.append(frame)
        assert len(found) < 100_000, "the reader does not advance"
    return found


def seconds(found: list[LogFrame]) -> list[float]:
    return [((frame.time_us or 0) - START_US) / 1e6 for frame in found]


def screen(*times: str) -> str:
    return "".join(f" ({time})  can0  00003039   [8]  54 45 53 54 30 30 31 3C\n" for time in times)


def test_candumps_date_and_time_is_read_p08(tmp_path: Path) -> None:
    tally = Tally()
    text = screen("2026-03-01 10:00:00.250000", "2026-03-01 10:00:01.250000")
    assert seconds(frames(tmp_path, "a.log", text, tally)) == [0.25, 1.25]
    assert tally.skipped == {"date_without_zone": 1}
    assert "a.log:1: the date has no zone and is taken for UTC" in tally.notes[0]


def test_candumps_absolute_times_are_read_p08(tmp_path: Path) -> None:
    found = frames(tmp_path, "a.log", screen("1772359200.5", "1772359201.250000"))
    assert seconds(found) == [0.5, 1.25]


def test_candumps_differences_are_added_up_and_told_p08(tmp_path: Path) -> None:
    tally = Tally()
    text = screen("000.000000", "001.000100", "000.999900", "001.000000")
    found = frames(tmp_path, "a.log", text, tally)
    assert [frame.time_us for frame in found] == [0, 1_000_100, 2_000_000, 3_000_000]
    assert tally.skipped == {"differences": 1}


def test_candumps_times_from_zero_are_left_as_they_are_p08(tmp_path: Path) -> None:
    tally = Tally()
    found = frames(tmp_path, "a.log", screen("000.000000", "001.000100", "002.000000"), tally)
    assert [frame.time_us for frame in found] == [0, 1_000_100, 2_000_000]
    assert tally.skipped == {}


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("\x1b[31m (1772359200.000000)  can0  123\x1b[0m   [2]  11 22", b"\x11\x22"),
        (" (1772359200.000000)  can0  RX B -  123  [02]  11 22", b"\x11\x22"),
        (
            " (1772359200.000000)  can0  123   {B}  11 22 33 44 55 66 77 88",
            bytes.fromhex("1122334455667788"),
        ),
        (" (1772359200.000000)  can0  123   [2]  11 22   '.\"'", b"\x11\x22"),
    ],
)
def test_further_forms_of_candumps_screen_are_read(tmp_path: Path, line: str, right: bytes) -> None:
    (found,) = frames(tmp_path, "a.log", line + "\n", Tally(strict=True))
    assert (found.can_id, found.data) == (0x123, right)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-16-le"])
def test_a_log_that_a_shell_wrote_in_another_encoding_is_read(
    tmp_path: Path, encoding: str
) -> None:
    text = screen("1772359200.000000", "1772359201.000000").replace("\n", "\r\n")
    assert len(frames(tmp_path, "a.log", text.encode(encoding), Tally(strict=True))) == 2


ASC = (
    "base {base}  timestamps {stamps}\n   1.500000 1  {id}x  Rx   d 2 10 11\n"
    "   0.250000 1  {id}x  Rx   d 2 10 11\n"
)


@pytest.mark.parametrize(
    ("date", "start_s"),
    [
        ("Sun Mar 1 10:00:00.250 am 2026", 0.25),
        ("Sun Mar 1 10:00:00.250 pm 2026", 43_200.25),
        ("Sun Mar 1 12:00:00 am 2026", -36_000),
        ("Son Mär 1 10:00:00 2026", 0),
        ("Sun, 01 Mar 2026 10:00:00 GMT", 0),
        ("Sun Mar 1 22:00:00.000 PM 2026", 43_200),
        ("2026-03-01 10:00:00", 0),
    ],
)
def test_the_date_of_an_asc_log_is_its_start(tmp_path: Path, date: str, start_s: float) -> None:
    text = f"date {date}\n" + ASC.format(base="hex", stamps="absolute", id="3039")
    found = frames(tmp_path, "a.asc", text)
    assert seconds(found) == [start_s + 1.5, start_s + 0.25]


def test_base_and_relative_times_of_an_asc_log_are_read(tmp_path: Path) -> None:
    text = ASC.format(base="dec", stamps="relative", id="12345")
    found = frames(tmp_path, "a.asc", text, Tally(strict=True))
    assert [(f.time_us, f.can_id, f.data) for f in found] == [
        (1_500_000, 12345, b"\x0a\x0b"),
        (1_750_000, 12345, b"\x0a\x0b"),
    ]


def test_a_request_to_transmit_of_an_asc_log_is_no_frame_and_no_fault(tmp_path: Path) -> None:
    text = ASC.format(base="hex", stamps="absolute", id="3039")
    text += "   2.5 1  3039x           TxRq   d 1 0A\n   2.6 1  3039x  TxRq  r\n"
    tally = Tally(strict=True)
    assert len(frames(tmp_path, "a.asc", text, tally)) == 2
    assert tally.skipped["other_event"] == 2


@pytest.mark.parametrize(
    "torn", ["   2.5", "   2.5 1", "   2.5 1  3039x", "   2.5 1 3039x Rx d 2 1"]
)
def test_a_torn_last_line_of_an_asc_log_is_counted(tmp_path: Path, torn: str) -> None:
    tally = Tally()
    text = ASC.format(base="hex", stamps="absolute", id="3039") + torn
    assert len(frames(tmp_path, "a.asc", text, tally)) == 2
    assert tally.skipped == {"broken_line": 1}
    assert "a.asc:4: " in tally.first["broken_line"]


TRC_STATUS = "  2)  1300.0 {bus}Warng  FFFFFFFF {reserved} 4  00 00 00 08\n"
TRC_DATA = "54 45 53 54 30 30 31 3C\n"
TRC = {
    "1.0": f"  1)  1250  00003039  8  {TRC_DATA}  2)  1300  FFFFFFFF  4  00 00 00 08 BUSHEAVY\n",
    "1.1": f"  1)  1250.0  Rx  00003039  8  {TRC_DATA}" + TRC_STATUS.format(bus="", reserved=""),
    "1.2": f"  1)  1250.0 1  Rx  00003039  8  {TRC_DATA}"
    + TRC_STATUS.format(bus="1 ", reserved=""),
    "1.3": f"  1)  1250.0 1  Rx  00003039 -  8  {TRC_DATA}"
    + TRC_STATUS.format(bus="1 ", reserved="-"),
    "2.0": f"  1  1250.000 DT 00003039 Rx 8  {TRC_DATA}"
    "  2  1300.000 ST          Rx    00 00 00 08\n",
    "2.1": f"  1  1250.000 DT 1 00003039 Rx - 8  {TRC_DATA}"
    "  2  1300.000 ST 1 - Rx - 4  00 00 00 08\n",
}


@pytest.mark.parametrize("version", sorted(TRC))
def test_every_version_of_a_trc_log_is_read(tmp_path: Path, version: str) -> None:
    head = f";$FILEVERSION={version}\n;$STARTTIME=46082.416666666667\n" if version != "1.0" else ""
    tally = Tally()
    (found,) = frames(tmp_path, "a.trc", head + TRC[version], tally)
    assert (found.can_id, found.extended, found.data) == (12345, True, b"TEST001<")
    assert found.time_us == (START_US + 1_250_000 if head else 1_250_000)
    assert tally.skipped == {"status_line": 1}


TRC_CELLS = {"N": "1", "O": "1250.000", "T": "DT", "I": "00003039", "d": "Rx", "l": "8"}


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        ("N", ""),
        ("T", ""),
        ("d", ""),
        ("O", "'' is not a time in milliseconds"),
        ("I", "identifier '' is not hexadecimal"),
        ("l", "length '' is not a number"),
    ],
)
def test_a_trc_log_whose_header_leaves_a_column_out_is_read_or_costs_its_lines(
    tmp_path: Path, missing: str, reason: str
) -> None:
    letters = [name for name in TRC_CELLS if name != missing]
    text = f";$FILEVERSION=2.0\n;$COLUMNS={','.join(letters)},D\n"
    text += f"{' '.join(TRC_CELLS[name] for name in letters)} {TRC_DATA}"
    tally = Tally()
    if not reason:
        (found,) = frames(tmp_path, "a.trc", text, tally)
        assert (found.can_id, found.data, found.time_us) == (12345, b"TEST001<", 1_250_000)
        return
    with pytest.raises(InputError, match=r"a\.trc"):
        frames(tmp_path, "a.trc", text, tally)
    assert tally.skipped == {"broken_line": 1}
    assert f"a.trc:3: {reason}" in tally.first["broken_line"]


def test_a_broken_line_of_a_trc_log_costs_itself(tmp_path: Path) -> None:
    tally = Tally()
    text = (
        ";$FILEVERSION=1.1\n"
        + TRC["1.1"]
        + "  3)  14x0.0  Rx  0123  1  11\n  4)  1.0  Rx  0123  1  11\n  5)  1.0  Rx  01"
    )
    assert len(frames(tmp_path, "a.trc", text, tally)) == 2
    assert tally.skipped == {"broken_line": 2, "status_line": 1}
    assert "a.trc:4: '14x0.0' is not a time" in tally.first["broken_line"]


def blf(count: int, compression: int = -1) -> bytearray:
    stream = io.BytesIO()
    stream.close = lambda: None  # type: ignore[method-assign] # so that what was written can be read
    with can.BLFWriter(stream, compression_level=compression) as writer:
        for n in range(count):
            data = struct.pack("<Q", n * 2_654_435_761 % 2**64)
            writer.on_message_received(
                can.Message(1_772_359_200.0 + n, 12345, is_extended_id=True, data=data, channel=0)
            )
    return bytearray(stream.getvalue())


def objects(data: bytes | bytearray) -> list[int]:
    found, at = [], data.find(b"LOBJ")
    while at >= 0:
        found.append(at)
        at = data.find(b"LOBJ", at + 4)
    return found


@pytest.mark.parametrize("size", [0, 1, 15, 16, 31, 2**31, 2**32 - 1])
def test_a_blf_object_of_a_size_that_is_none_costs_itself_p09(tmp_path: Path, size: int) -> None:
    data = blf(6, 0)
    struct.pack_into("<L", data, objects(data)[3] + 8, size)
    tally = Tally()
    found = frames(tmp_path, "a.blf", bytes(data), tally)
    assert seconds(found) == [0, 1, 3, 4, 5]
    assert tally.skipped == {"broken_line": 1}
    assert "a.blf: object 3: " in tally.first["broken_line"]
    with pytest.raises(InputError, match=r"a\.blf: object 3"):
        frames(tmp_path, "a.blf", bytes(data), Tally(strict=True))


@pytest.mark.parametrize("size", [0, 8, 31, 2**32 - 1])
def test_a_blf_container_of_a_size_that_is_none_does_not_hold_the_reader(
    tmp_path: Path, size: int
) -> None:
    data = blf(6, 0)
    struct.pack_into("<L", data, objects(data)[0] + 8, size)
    tally = Tally()
    assert len(frames(tmp_path, "a.blf", bytes(data), tally)) + tally.left_out >= 6
    assert tally.skipped["broken_line"]


@pytest.mark.parametrize("missing", [20, 300, 2000])
@pytest.mark.parametrize("compression", [-1, 0])
def test_what_a_blf_log_promises_and_lacks_is_counted_p10(
    tmp_path: Path, missing: int, compression: int
) -> None:
    data = bytes(blf(3000, compression))[:-missing]
    tally = Tally()
    found = frames(tmp_path, "a.blf", data, tally)
    assert seconds(found) == list(range(len(found)))
    assert tally.skipped["broken_line"] >= 1
    assert len(found) + tally.left_out >= 3000
    with pytest.raises(InputError, match=r"a\.blf: "):
        frames(tmp_path, "a.blf", data, Tally(strict=True))


def test_a_promise_alone_is_checked_p10(tmp_path: Path) -> None:
    data = blf(5)
    struct.pack_into("<L", data, 32, 9)
    tally = Tally()
    assert len(frames(tmp_path, "a.blf", bytes(data), tally)) == 5
    assert tally.skipped == {"missing": 4}
    with pytest.raises(InputError, match="holds 5 objects, and the header promises 9"):
        frames(tmp_path, "a.blf", bytes(data), Tally(strict=True))


def test_blf_objects_outside_containers_are_read_p10(tmp_path: Path) -> None:
    data = bytes(blf(5, 0))
    first, second = objects(data)[:2]
    found = frames(tmp_path, "a.blf", data[:first] + data[second:], Tally(strict=True))
    assert seconds(found) == [0, 1, 2, 3, 4]


def test_a_blf_container_that_is_damaged_costs_what_follows_in_it(tmp_path: Path) -> None:
    data = blf(9000)
    starts = objects(bytes(data))
    assert len(starts) >= 3
    data[starts[1] + 2000 : starts[1] + 2010] = b"\xff" * 10
    tally = Tally()
    found = frames(tmp_path, "a.blf", bytes(data), tally)
    assert 2500 < len(found) < 9000
    assert seconds(found)[-1] == 8999
    assert len(found) + tally.left_out >= 9000


@pytest.mark.slow
def test_a_blf_container_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    packed = zlib.compress(bytes(60_000_000), 9)
    head = struct.pack("<4sHHLL", b"LOBJ", 16, 1, 32 + len(packed), 10)
    data = bytes(blf(1))[:HEADER] + head + struct.pack("<H6xL4x", 2, 60_000_000) + packed
    tally = Tally()
    assert frames(tmp_path, "a.blf", data, tally) == []
    assert "unpacks to more than" in tally.first["broken_line"]


def test_error_and_remote_frames_of_blf_are_no_data(tmp_path: Path) -> None:
    stream = io.BytesIO()
    stream.close = lambda: None  # type: ignore[method-assign] # so that what was written can be read
    with can.BLFWriter(stream) as writer:
        writer.on_message_received(can.Message(1.0, is_error_frame=True, channel=0))
        writer.on_message_received(
            can.Message(2.0, 0x123, is_extended_id=False, is_remote_frame=True, dlc=3, channel=0)
        )
        writer.on_message_received(
            can.Message(3.0, 0x123, is_extended_id=False, is_fd=True, data=bytes(12), channel=1)
        )
    found = frames(tmp_path, "a.blf", stream.getvalue(), Tally(strict=True))
    assert [frame.kind for frame in found] == [Kind.ERROR, Kind.REMOTE, Kind.DATA]
    assert (found[1].remote_length, len(found[2].data), found[2].fd) == (3, 12, True)
    assert found[2].channel == "1"


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:-2000], lambda d: d[:9000] + b"\xff" * 40 + d[9040:]]
)
def test_a_compressed_log_that_is_broken_is_read_up_to_there(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    lines = "".join(
        f"({n}.{n * 7919 % 999983:06d}) can0 123#{n * 31 % 65536:04X}\n" for n in range(3000)
    )
    tally = Tally()
    found = frames(tmp_path, "a.log.gz", spoil(gzip.compress(lines.encode())), tally)
    assert 500 < len(found) < 3000
    assert tally.skipped["cut_off"] == 1


GVRET = "Time Stamp,ID,Extended,{dir}Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n"


@pytest.mark.parametrize("direction", ["", "Rx,"])
def test_the_csv_of_savvycan_is_read(tmp_path: Path, direction: str) -> None:
    row = "{t},{i},{x}," + direction + "1,{n},11,22,\n"
    text = GVRET.format(dir="Dir," if direction else "")
    text += row.format(t=1_500_000, i="00003039", x="true", n=2)
    text += row.format(t=1_600_000, i="00000123", x="false", n=2)
    text += row.format(t="soon", i="00000123", x="false", n=2)
    text += row.format(t=1_700_000, i="00000123", x="false", n=8)
    tally = Tally()
    found = frames(tmp_path, "a.csv", text, tally)
    assert [(f.time_us, f.can_id, f.extended, f.data) for f in found] == [
        (1_500_000, 12345, True, b"\x11\x22"),
        (1_600_000, 0x123, False, b"\x11\x22"),
    ]
    assert found[0].direction == direction[:1]
    assert tally.skipped == {"broken_line": 2}


def test_the_csv_of_savvycan_is_a_trace_with_positions(tmp_path: Path) -> None:
    data = ",".join(f"{byte:02X}" for byte in b"TEST001<")
    log, places = tmp_path / "a.csv", tmp_path / "p.csv"
    log.write_text(GVRET.format(dir="") + f"1500000,00003039,true,0,8,{data}\n")
    places.write_text("time_s,lat,lon,speed_kmh\n0,51,7,3\n9,51,7,3\n")
    (sample,) = read_trace(Inputs(log, places), Tally(strict=True)).samples
    assert (sample.vehicle, sample.speed_kmh, sample.time_us) == ("TEST001", 60, 1_500_000)
