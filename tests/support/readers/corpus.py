"""Files as tools write them, made here, to be spoilt."""

import gzip
import io
import struct
from collections.abc import Callable
from typing import NamedTuple

import can

START_S = 1_700_000_000
RECORDS = 12


class Seed(NamedTuple):
    """A good file.

    Attributes:
        name: With the suffix that tells its format.
        data: Its bytes.
        keep: How many of its first bytes are not spoilt.
    """

    name: str
    data: bytes
    keep: int = 0


def frames() -> list[can.Message]:
    """Return frames of several kinds."""
    made = [
        can.Message(
            timestamp=START_S + n,
            arbitration_id=12345,
            is_extended_id=True,
            data=b"TEST001" + bytes([40 + n]),
            channel=0,
        )
        for n in range(RECORDS)
    ]
    made[3] = can.Message(START_S + 3, arbitration_id=0x1A0, is_extended_id=False, data=b"\1\2")
    made[5] = can.Message(START_S + 5, is_error_frame=True, channel=0)
    return made


def _csv(delimiter: str = ",", decimal: str = ".", *, quoted: bool = False) -> bytes:
    header = ["time_s", "vehicle", "lat", "lon", "speed_kmh"]
    rows = [
        [str(n), f"bus {n % 2}", f"49.94{n:02d}", "11.5713", f"{40 + n}.5"] for n in range(RECORDS)
    ]
    lines = [header, *([cell.replace(".", decimal) for cell in row] for row in rows)]
    mark = '"' if quoted else ""
    return "\r\n".join(delimiter.join(f"{mark}{c}{mark}" for c in line) for line in lines).encode()


def _gpx(prefix: str = "") -> bytes:
    p = f"{prefix}:" if prefix else ""
    space = f"xmlns{':' if prefix else ''}{prefix}"
    points = "\n".join(
        f'<{p}trkpt lat="49.94{n:02d}" lon="11.5713"><{p}ele>310</{p}ele>'
        f"<{p}time>2026-03-01T10:00:{n:02d}Z</{p}time></{p}trkpt>"
        for n in range(RECORDS)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{p}gpx version="1.1" creator="us" '
        f'{space}="http://www.topografix.com/GPX/1/1">\n<{p}trk><{p}name>way</{p}name>'
        f"<{p}trkseg>\n{points}\n</{p}trkseg></{p}trk></{p}gpx>\n"
    ).encode()


def _candump() -> bytes:
    lines = [
        f"({START_S + n}.{n:06d}) can0 00003039#54455354303031{40 + n:02X}" for n in range(RECORDS)
    ]
    lines[2] = f"({START_S + 2}.000000) can0 123#R"
    lines[4] = f"({START_S + 4}.000000) can0 20000004#0004000000000000"
    lines[6] = f"({START_S + 6}.000000) can0 123##1DEADBEEF"
    return ("\n".join(lines) + "\n").encode()


def _screen() -> bytes:
    lines = [
        f" (2026-03-01 10:00:{n:02d}.000001)  can0  00003039   [8]  "
        f"54 45 53 54 30 30 31 {40 + n:02X}"
        for n in range(RECORDS)
    ]
    return ("\n".join(lines) + "\n").encode()


def _asc() -> bytes:
    lines = ["date Sun Mar 1 10:00:00.000 am 2026", "base hex  timestamps absolute"]
    lines += [
        f"   {n}.000000 1  3039x  Rx   d 8 54 45 53 54 30 30 31 {40 + n:02X}  Length = 1"
        for n in range(RECORDS)
    ]
    lines[5] = "   3.000000 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%"
    return ("\n".join(lines) + "\n").encode()


def _trc() -> bytes:
    lines = [";$FILEVERSION=1.1", ";$STARTTIME=46082.5"]
    lines += [
        f"  {n + 1})    {n * 1000}.0  Rx  00003039  8  54 45 53 54 30 30 31 {40 + n:02X}"
        for n in range(RECORDS)
    ]
    return ("\n".join(lines) + "\n").encode()


def _trc2() -> bytes:
    lines = [";$FILEVERSION=2.1", ";$STARTTIME=46082.5", ";$COLUMNS=N,O,T,B,I,d,R,L,D"]
    lines += [
        f"  {n + 1}  {n * 1000}.000 DT 1 00003039 Rx - 8  54 45 53 54 30 30 31 {40 + n:02X}"
        for n in range(RECORDS)
    ]
    return ("\n".join(lines) + "\n").encode()


def _gvret() -> bytes:
    lines = ["Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8"]
    lines += [
        f"{n * 1_000_000},00003039,true,Rx,0,8,54,45,53,54,30,30,31,{40 + n:02X},"
        for n in range(RECORDS)
    ]
    return ("\n".join(lines) + "\n").encode()


def blf(compression: int = -1) -> bytes:
    """Return a BLF log."""
    stream = io.BytesIO()
    stream.close = lambda: None  # type: ignore[method-assign] # so that what was written can be read
    with can.BLFWriter(stream, compression_level=compression) as writer:
        for frame in frames():
            writer.on_message_received(frame)
    return stream.getvalue()


def bare_blf() -> bytes:
    """Return a BLF log whose objects stand outside containers."""
    data = blf(0)
    first = data.find(b"LOBJ")
    return data[:first] + data[data.find(b"LOBJ", first + 4) :]


def _stops() -> bytes:
    rows = [f'"{n}","Street, {n}","49.94{n:02d}","11.57","",""' for n in range(RECORDS)]
    rows[3] = '"N","Node","","","3","1"'
    head = '"stop_id","stop_name","stop_lat","stop_lon","location_type","parent_station"'
    return b"\xef\xbb\xbf" + "\r\n".join([head, *rows]).encode()


DBC = (
    'VERSION ""\n\nNS_ :\n\nBS_:\n\nBU_: N\n\nBO_ 292 Motion: 8 N\n'
    ' SG_ VehicleSpeed : 0|12@1+ (0.1,0) [0|300] "km/h" N\n\n'
    'BO_ 2566844926 Truck: 8 N\n SG_ WheelSpeed : 8|16@1+ (0.00390625,0) [0|250] "km/h" N\n\n'
    'CM_ BO_ 292 "moves";\nBA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","x",'
    '"J1939PG";\nBA_DEF_DEF_ "VFrameFormat" "StandardCAN";\nBA_ "VFrameFormat" BO_ 2566844926 3;\n'
    'VAL_ 292 VehicleSpeed 4095 "absent" ;\n'
)
BLF_HEADER = 144

SEEDS: dict[str, Callable[[], Seed]] = {
    "csv": lambda: Seed("fleet.csv", _csv()),
    "quoted csv": lambda: Seed("fleet.csv", _csv(quoted=True)),
    "csv with decimal commas": lambda: Seed("fleet.csv", _csv(";", ",")),
    "csv in utf-16": lambda: Seed("fleet.csv", _csv("\t").decode().encode("utf-16")),
    "csv.gz": lambda: Seed("fleet.csv.gz", gzip.compress(_csv(), mtime=0)),
    "gpx": lambda: Seed("way.gpx", _gpx()),
    "gpx with a prefix": lambda: Seed("way.gpx", _gpx("ns")),
    "candump": lambda: Seed("drive.log", _candump()),
    "candump's screen form": lambda: Seed("drive.log", _screen()),
    "candump.gz": lambda: Seed("drive.log.gz", gzip.compress(_candump(), mtime=0)),
    "asc": lambda: Seed("drive.asc", _asc()),
    "trc 1.1": lambda: Seed("drive.trc", _trc()),
    "trc 2.1": lambda: Seed("drive.trc", _trc2()),
    "gvret": lambda: Seed("drive.gvret.csv", _gvret()),
    "blf": lambda: Seed("drive.blf", blf(), BLF_HEADER),
    "blf without compression": lambda: Seed("drive.blf", blf(0), BLF_HEADER),
    "blf without containers": lambda: Seed("drive.blf", bare_blf(), BLF_HEADER),
    "stops": lambda: Seed("stops.txt", _stops()),
    "dbc": lambda: Seed("car.dbc", DBC.encode()),
}
"""By what they are; made when asked for, so that a replay makes one only."""


def blf_promise(data: bytes) -> int:
    """Return how many objects a BLF log's header tells."""
    return int(struct.unpack_from("<L", data, 32)[0])
