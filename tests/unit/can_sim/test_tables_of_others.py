"""Tables as other people's tools and spreadsheets write them."""

import gzip
from pathlib import Path

import pytest
from can_sim import monitors
from can_sim.errors import InputError
from can_sim.plan import plan
from can_sim.sample import Trace
from can_sim.settings import read as read_settings
from can_sim.sources.csv_trace import read
from can_sim.tally import Tally

STOPS = (
    '"stop_id","stop_name","stop_lat","stop_lon","location_type","parent_station"\r\n'
    '"S1","Mill Lane, east side","51.5001","7.4002","",""\r\n'
    '"S2","Harbour","51.5011","7.4102","0",""\r\n'
    '"N1","Node","","","3","S1"\r\n'
)
HEAD = "time_s,vehicle,lat,lon,speed_kmh\n"


def trace(folder: Path, text: str | bytes, tally: Tally | None = None) -> Trace:
    path = folder / "fleet.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, tally or Tally())


def stops(folder: Path, text: str | bytes, tally: Tally | None = None) -> list[monitors.Monitor]:
    path = folder / "stops.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return monitors.read(path, tally or Tally())


def test_stops_of_a_public_timetable_are_monitors_p01(tmp_path: Path) -> None:
    tally = Tally()
    found = stops(tmp_path, "\ufeff" + STOPS, tally)
    assert [(one.name, one.lat, one.lon) for one in found] == [
        ("S1", 51.5001, 7.4002),
        ("S2", 51.5011, 7.4102),
    ]
    assert tally.skipped == {"no_position": 1}
    assert "stops.txt:4: has no coordinates" in tally.first["no_position"]


def test_a_node_without_a_place_is_no_fault_and_a_stop_without_one_is(tmp_path: Path) -> None:
    assert len(stops(tmp_path, STOPS, Tally(strict=True))) == 2
    with pytest.raises(InputError, match=r"stops\.txt:5: has no coordinates"):
        stops(tmp_path, STOPS + '"S3","Quay","","","0",""\r\n', Tally(strict=True))


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        ("Lat", "Lng"),
        ("GPS Lat", "GPS Long"),
        ("latitude_deg", "longitude_deg"),
        ("Latitude (deg)", "Longitude (deg)"),
        ("Latitude [°]", "Longitude [°]"),
        ("positionLat", "positionLon"),
        ("gps_latitude", "gps_longitude"),
        ("location.latitude", "location.longitude"),
        ("LATITUDE N/S", "LONGITUDE E/W"),
        ("lat_wgs84", "lon_wgs84"),
        ("Y", "X"),
    ],
)
def test_columns_of_places_are_known_by_their_words(tmp_path: Path, lat: str, lon: str) -> None:
    (found,) = trace(tmp_path, f"time,{lat},{lon},speed_kmh\n5,51.5,7.25,30\n").samples
    assert (found.lat, found.lon) == (51.5, 7.25)


@pytest.mark.parametrize("lat", ["lat_e7", "Latitude (rad)", "lateral", "flat", "latency_ms"])
def test_a_column_of_another_unit_is_no_latitude(tmp_path: Path, lat: str) -> None:
    with pytest.raises(InputError, match=r"column lat or latitude or y: is missing"):
        trace(tmp_path, f"time,{lat},lon\n5,51.5,7.25\n")


@pytest.mark.parametrize(
    ("column", "kmh"),
    [
        ("Speed (km/h)", 10.0),
        ("Speed (mph)", 16.09344),
        ("GPS Speed (Meters/second)", 36.0),
        ("speed_ms", 36.0),
        ("velocity_m_s", 36.0),
        ("Speed [kn]", 18.52),
        ("speed_knots", 18.52),
        ("sog", 18.52),
        ("ground_speed_kts", 18.52),
        ("Vehicle speed (kph)", 10.0),
        ("speed_fps", 10.9728),
    ],
)
def test_columns_of_speeds_are_known_with_their_unit(
    tmp_path: Path, column: str, kmh: float
) -> None:
    (found,) = trace(tmp_path, f"time,lat,lon,{column}\n5,51.5,7.25,10\n").samples
    assert found.speed_kmh == pytest.approx(kmh)


def test_a_speed_of_an_unknown_unit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column Speed \\(furlong/h\\): names a unit that is not"):
        trace(tmp_path, "time,lat,lon,Speed (furlong/h)\n5,51.5,7.25,10\n")


def test_a_limit_is_no_speed(tmp_path: Path) -> None:
    found = trace(tmp_path, "time,lat,lon,speed_limit\n0,51.5,7.25,50\n9,51.5,7.25,50\n")
    assert [sample.speed_kmh for sample in found.samples] == [0, 0]


MOMENT_US = 1_772_359_200_000_000


@pytest.mark.parametrize(
    ("column", "text", "time_us"),
    [
        ("timestamp", "1772359200", MOMENT_US),
        ("timestamp", "1772359200000", MOMENT_US),
        ("timestamp", "1772359200000000", MOMENT_US),
        ("timestamp", "1772359200000000000", MOMENT_US),
        ("Time (ms)", "1500", 1_500_000),
        ("time (s)", "1.5", 1_500_000),
        ("unix_time", "1772359200", MOMENT_US),
        ("GPS Time", "2026-03-01T10:00:00Z", MOMENT_US),
        ("recorded_at", "2026-03-01 12:00:00+0200", MOMENT_US),
        ("datetime", "2026/03/01 10:00:00", MOMENT_US),
        ("time", "2026-03-01T10:00:00.25-00:00", MOMENT_US + 250_000),
        ("time", "20260301T100000Z", MOMENT_US),
        ("time", "2026-03-01 10:00:00 UTC", MOMENT_US),
        ("time", "2026-02-28T24:00:00Z", MOMENT_US - 36_000_000_000),
        ("time", " 2026-03-01T09:59:60Z ", MOMENT_US),
        ("time", "01.03.2026 10:00:00", MOMENT_US),
        ("Device Time", "01-Mar-2026 10:00:00.000", MOMENT_US),
        ("GPS Time", "Sun Mar 01 11:00:00 GMT+01:00 2026", MOMENT_US),
        ("time", "2026-W09-7T10:00:00Z", MOMENT_US),
        ("time", "2026W097T100000Z", MOMENT_US),
        ("time", "2026-060 10:00:00", MOMENT_US),
        ("time", "2026-03-01 10:00:00 AM", MOMENT_US),
        ("time", "2026-03-01 9:00:00.0 p.m. -02:00", MOMENT_US + 13 * 3_600_000_000),
        ("time", "2026/03/01 12:00:00 am", MOMENT_US - 36_000_000_000),
        ("time", "01.03.2026 12:00 pm", MOMENT_US + 7_200_000_000),
        ("time", "1.3.2026 9:05:00", MOMENT_US - 3_300_000_000),
        ("time", "2026-03-01T11:00:00+01:00[Europe/Berlin]", MOMENT_US),
    ],
)
def test_times_have_the_forms_of_loggers(
    tmp_path: Path, column: str, text: str, time_us: int
) -> None:
    (found,) = trace(tmp_path, f"{column},lat,lon,speed_kmh\n{text},51.5,7.25,30\n").samples
    assert found.time_us == time_us


@pytest.mark.parametrize(
    "text",
    [
        "3/1/2026 10:00:00",
        "01-Xyz-2026 10:00:00",
        "32.03.2026 10:00:00",
        "2026-03-01T10:00:00+25:00",
        "2026-13-01T10:00:00Z",
        "2026-03-01T10:61:00Z",
        "2026-03-01 13:00:00 PM",
        "2026-03-01 00:00:00 AM",
        "2026-W54-1T10:00:00Z",
        "2026-366T10:00:00Z",
        "2026-000T10:00:00Z",
        "noon",
    ],
)
def test_a_malformed_time_is_a_bad_row_with_its_place(tmp_path: Path, text: str) -> None:
    tally = Tally()
    assert not trace(tmp_path, f"time,lat,lon,speed_kmh\n{text},51.5,7.25,30\n", tally).samples
    assert tally.skipped == {"bad_row": 1}
    assert "fleet.csv:2: column time: " in tally.first["bad_row"]


@pytest.mark.parametrize(
    ("date", "clock"),
    [
        ("2026-03-01", "10:00:00"),
        ("20260301", "10:00:00.0 AM"),
        ("01.03.2026", "10:00"),
        ("1-Mar-2026", "10:00:00 am"),
        ("2026-060", "11:00:00+01:00"),
    ],
)
def test_a_date_and_a_time_of_day_may_have_columns_of_their_own(
    tmp_path: Path, date: str, clock: str
) -> None:
    (found,) = trace(
        tmp_path, f"Date,Time,Latitude,Longitude,speed_kmh\n{date},{clock},51.5,7.25,30\n"
    ).samples
    assert found.time_us == MOMENT_US


def test_decimal_commas_are_read_where_cells_are_separated_otherwise_p02(tmp_path: Path) -> None:
    head = HEAD.replace(",", ";")
    (found,) = trace(tmp_path, head + "0,5;A;51,5001;7,4002;-3,5\n").samples
    assert (found.time_us, found.lat, found.lon) == (500_000, 51.5001, 7.4002)
    assert found.speed_kmh == -3.5
    (stop,) = stops(tmp_path, "name\tlat\tlon\tradius_m\nA\t51,5\t7,25\t120,5\n")
    assert (stop.lat, stop.lon, stop.radius_m) == (51.5, 7.25, 120.5)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD.replace(",", ";") + "0;A;51,5;7,4;1.234,5\n", "has a thousands separator"),
        (HEAD.replace(",", ";") + "0;A;51,5;7,4;1'234\n", "has a thousands separator"),
        (HEAD.replace(",", ";") + "0;A;51.5;7.4;1,234\n", "thousands separator or a decimal comma"),
        (HEAD + '0,A,"51,5","7,4",3\n', "has a comma; a decimal comma is read where"),
    ],
)
def test_a_number_that_can_be_read_in_two_ways_is_refused_with_its_place(
    tmp_path: Path, text: str, reason: str
) -> None:
    with pytest.raises(InputError, match=r"fleet\.csv:2: column \w+: .*" + reason):
        trace(tmp_path, text, Tally(strict=True))


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_every_separator_and_line_end_is_read(tmp_path: Path, mark: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        text = (HEAD + "1,A,51,7,30\n").replace(",", mark).replace("\n", end)
        assert len(trace(tmp_path, text).samples) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_every_usual_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    text = "time_s,lat,lon,speed_kmh,vehicle\n1,51,7,30,Bülow\n"
    (found,) = trace(tmp_path, text.encode(encoding)).samples
    assert found.vehicle == "Bülow"


def test_lines_before_the_header_are_passed_over(tmp_path: Path) -> None:
    found = trace(
        tmp_path, "sep=;\n# made by a logger\n\n" + HEAD.replace(",", ";") + "1;A;1;2;3\n"
    )
    assert len(found.samples) == 1
    found = trace(tmp_path, '"sep=\t"\r\n' + HEAD.replace(",", "\t") + "1\tA\t1\t2\t3\r\n")
    assert len(found.samples) == 1


def test_of_columns_of_one_name_the_first_is_read_and_noted(tmp_path: Path) -> None:
    tally = Tally()
    (found,) = trace(tmp_path, "time_s,lat,lon,lat,,\n1,51,7,52,,\n", tally).samples
    assert found.lat == 51
    assert tally.notes[0].endswith(":1: column lat: is there more than once; the first is read")


def test_a_row_that_is_wider_than_its_header_is_bad(tmp_path: Path) -> None:
    tally = Tally()
    (found,) = trace(tmp_path, "time_s,lat,lon\n0,51,5,7,25\n1,51,7,\n2,51,5,7,25\n", tally).samples
    assert (found.lat, found.lon) == (51, 7)
    assert tally.skipped == {"bad_row": 2}
    assert tally.first["bad_row"].endswith("fleet.csv:2: has 5 cells, the header 3")


@pytest.mark.parametrize("name", ["fleet.csv", "fleet"])
def test_gzip_is_known_by_its_first_bytes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(f"{HEAD}1,A,51,7,30\n".encode()))
    assert len(read(tmp_path / name, Tally()).samples) == 1


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (b"PK\x03\x04\x14", "is a spreadsheet or another ZIP archive, which is not read"),
        (b"MDF     4.10", "is an MDF measurement file"),
        (b"SQLite format 3\x00", "is a database"),
        (b"\x28\xb5\x2f\xfd", "is compressed by zstd"),
    ],
)
def test_a_format_that_is_none_of_ours_is_named(tmp_path: Path, start: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        trace(tmp_path, start + bytes(100))


def test_a_device_without_lines_ends_at_the_header() -> None:
    with pytest.raises(InputError, match="the header is longer than any"):
        read(Path("/dev/zero"), Tally())


def test_a_quote_that_is_never_closed_costs_one_row_p04(tmp_path: Path) -> None:
    tally = Tally()
    rows = [f"{n},A,51,7,30\n" for n in range(40)]
    rows[7] = '7,"A 1,51,7,30\n'
    found = trace(tmp_path, HEAD + "".join(rows), tally)
    assert [sample.time_us // 1_000_000 for sample in found.samples] == [
        n for n in range(40) if n != 7
    ]
    assert tally.skipped == {"bad_row": 1}
    assert "fleet.csv:9: a quote is not closed" in tally.first["bad_row"]


def test_two_quotes_that_are_never_closed_cost_two_rows(tmp_path: Path) -> None:
    tally = Tally()
    rows = [f"{n},A,51,7,30\n" for n in range(20)]
    rows[3], rows[9] = '3,"A,51,7,30\n', '9,"A,51,7,30\n'
    assert len(trace(tmp_path, HEAD + "".join(rows), tally).samples) == 18
    assert tally.skipped == {"bad_row": 2}


def test_a_missing_quote_in_a_table_of_quoted_cells_costs_one_row(tmp_path: Path) -> None:
    tally = Tally()
    text = STOPS + '"S4","Gate,"51.6","7.5","",""\r\n"S5","Park","51.7","7.6","",""\r\n'
    found = stops(tmp_path, text, tally)
    assert [one.name for one in found] == ["S1", "S2", "S5"]
    assert tally.skipped == {"bad_row": 1, "no_position": 1}


def test_a_quoted_cell_may_hold_line_ends(tmp_path: Path) -> None:
    text = 'stop_id,stop_desc,stop_lat,stop_lon\nA,"first line\nsecond ""line""",51,7\nB,x,52,8\n'
    assert [one.name for one in stops(tmp_path, text)] == ["A", "B"]


def test_an_endless_line_costs_one_row(tmp_path: Path) -> None:
    tally = Tally()
    text = HEAD + "0,A,51,7,30\n" + "1," * 500_000 + "\n2,A,51,7,30\n"
    assert len(trace(tmp_path, text, tally).samples) == 2
    assert tally.skipped == {"bad_row": 1}
    assert "fleet.csv:3: the line is longer" in tally.first["bad_row"]


def test_a_header_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"fleet\.csv:1: "):
        trace(tmp_path, "a," * 20_000 + "\n")


def test_nul_bytes_of_a_power_cut_cost_the_rows_that_they_cover(tmp_path: Path) -> None:
    tally = Tally()
    text = HEAD + "0,A,51,7,30\n1,A,5" + "\0" * 60 + "\n\0\0\0" + "2,A,51,7,30\n3,A\0,51,7,30\n"
    found = trace(tmp_path, text, tally)
    assert [sample.time_us for sample in found.samples] == [0, 2_000_000]
    assert tally.skipped == {"bad_row": 2, "nul_bytes": 3}


def test_a_compressed_table_that_is_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    rows = "".join(f"{n},A,{n * 7919 % 90}.{n * 104729 % 99991},7,30\n" for n in range(3000))
    path = tmp_path / "fleet.csv.gz"
    path.write_bytes(gzip.compress((HEAD + rows).encode())[:-4000])
    tally = Tally()
    found = read(path, tally)
    assert 500 < len(found.samples) < 3000
    assert tally.skipped["cut_off"] == 1
    with pytest.raises(InputError, match=r"fleet\.csv\.gz: compressed data is broken"):
        read(path, Tally(strict=True))


def test_what_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fleet.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as stream:
        stream.write(HEAD.encode())
        for _ in range(300):
            stream.write(bytes(1_000_000))
    with pytest.raises(InputError, match=r"fleet\.csv\.gz: .* unpacks to more than"):
        read(path, Tally())


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("t.csv", HEAD + "soon,A,1,2,3\n", r"1 bad_row \(first: .*t\.csv:2: column time_s"),
        ("t.csv", HEAD + "0,A,,,3\n", r"1 no_position \(first: .*t\.csv:2: has no coord"),
        ("t.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", "1 no_time"),
    ],
)
def test_a_trace_of_which_nothing_is_left_tells_why(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    options = read_settings(["plan", "--out", "x", "--trace", str(path)], {})
    with pytest.raises(InputError, match=f"contains no sample .*; left out: {reason}"):
        plan(options, Tally())


def test_monitors_of_which_nothing_is_left_tell_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"names no monitor; left out: 1 bad_row \(first: .*:2: "):
        stops(tmp_path, "name,lat,lon\nA,north,7\n")
