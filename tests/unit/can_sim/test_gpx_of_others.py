"""GPX as watches, loggers and routers write it, and as dying recorders leave it."""

from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.sample import Sample
from can_sim.sources.gpx_trace import read
from can_sim.tally import Tally

V11 = "http://www.topografix.com/GPX/1/1"
V10 = "http://www.topografix.com/GPX/1/0"


def times(folder: Path, text: str | bytes, tally: Tally | None = None) -> list[int]:
    return [sample.time_us // 1_000_000 % 60 for sample in samples(folder, text, tally)]


def samples(folder: Path, text: str | bytes, tally: Tally | None = None) -> list[Sample]:
    path = folder / "ride.gpx"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read(path, tally or Tally()).samples)


def points(count: int, prefix: str = "", time: str = "2026-03-01T10:00:{:02d}Z") -> str:
    return "\n".join(
        f'<{prefix}trkpt lat="51.{n:04d}" lon="7.4"><{prefix}time>{time.format(n)}</{prefix}time>'
        f"</{prefix}trkpt>"
        for n in range(count)
    )


def track(inside: str, prefix: str = "") -> str:
    return f"<{prefix}trk><{prefix}trkseg>\n{inside}</{prefix}trkseg></{prefix}trk>"


@pytest.mark.parametrize(
    ("prefix", "declared"),
    [
        ("", f'xmlns="{V11}"'),
        ("", f'xmlns="{V10}"'),
        ("", ""),
        ("g:", f'xmlns:g="{V11}" xmlns="http://example.org/watch/1"'),
        ("gpx10:", f'xmlns:gpx10="{V10}"'),
        ("", f"xmlns = '{V11}'"),
    ],
)
def test_elements_are_known_by_namespace_whatever_the_prefix_p05(
    tmp_path: Path, prefix: str, declared: str
) -> None:
    text = f"<{prefix}gpx {declared}>{track(points(4, prefix), prefix)}</{prefix}gpx>"
    assert times(tmp_path, text, Tally(strict=True)) == [0, 1, 2, 3]


def test_elements_of_extensions_are_not_the_points_own(tmp_path: Path) -> None:
    extension = (
        '<extensions xmlns:e="http://example.org/e"><e:time>1999-01-01T00:00:00Z</e:time>'
        "<time>1998-01-01T00:00:00Z</time></extensions>"
    )
    inside = points(2).replace('lon="7.4">', f'lon="7.4">{extension}')
    text = f'<gpx xmlns="{V11}">{track(inside)}</gpx>'
    assert [s.time_us for s in samples(tmp_path, text)] == [
        1_772_359_200_000_000,
        1_772_359_201_000_000,
    ]


@pytest.mark.parametrize(
    "time",
    [
        "\n    2026-03-01T10:00:{:02d}Z\t ",
        "<![CDATA[2026-03-01T10:00:{:02d}Z]]>",
        "2026-03-01T10:00:{:02d}.123456789+00:00",
        "2026-03-01T12:00:{:02d}+02:00",
        "2026-03-01T10:00:{:02d}",
        "<!-- x -->2026-03-01T10:00:{:02d}Z",
    ],
)
def test_times_have_any_form_that_xml_allows_p05(tmp_path: Path, time: str) -> None:
    text = f'<gpx xmlns="{V11}">{track(points(3, time=time))}</gpx>'
    assert times(tmp_path, text, Tally(strict=True)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("UTF-16", "utf-16"),
        ("UTF-8", "utf-8-sig"),
        ("iso-8859-15", "iso-8859-15"),
        ("UTF-8", "cp1252"),
    ],
)
def test_the_encoding_that_a_document_declares_is_read_p05(
    tmp_path: Path, declared: str, encoding: str
) -> None:
    text = (
        f'<?xml version="1.0" encoding="{declared}"?>\n<gpx xmlns="{V11}"><trk><name>Bülow</name>'
        f"<trkseg>{points(2)}</trkseg></trk></gpx>"
    )
    assert {s.vehicle for s in samples(tmp_path, text.encode(encoding))} == {"Bülow"}


def test_an_encoding_that_nobody_knows_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ride\.gpx:1: declares the unknown encoding x-none"):
        samples(tmp_path, '<?xml version="1.0" encoding="x-none"?><gpx/>')


def test_blank_lines_before_the_declaration_are_passed_over(tmp_path: Path) -> None:
    text = f'\n\n<?xml version="1.0"?><gpx xmlns="{V11}">{track(points(2))}</gpx>'
    assert times(tmp_path, text, Tally(strict=True)) == [0, 1]


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_whole_points_of_a_document_without_end_are_read_p06(tmp_path: Path, cut: int) -> None:
    text = f'<gpx xmlns="{V11}">\n{track(points(9))}</gpx>'
    torn = text[: text.rindex("<trkpt") + cut]
    tally = Tally()
    assert times(tmp_path, torn, tally) == list(range(8))
    assert tally.skipped == {"broken": 1}
    assert "ride.gpx:11: " in tally.first["broken"]
    with pytest.raises(InputError, match=r"ride\.gpx:11: "):
        samples(tmp_path, torn, Tally(strict=True))


@pytest.mark.parametrize("spoil", ["&", "<", "\0\0\0", "<name>a < b</name>", "</ele>", "&nope;"])
@pytest.mark.parametrize("prefix", ["", "g:"])
def test_points_after_a_broken_place_are_read(tmp_path: Path, spoil: str, prefix: str) -> None:
    lines = points(9, prefix).split("\n")
    lines[4] = lines[4].replace(f"<{prefix}time>", f"{spoil}<{prefix}time>")
    space = f'xmlns{":" if prefix else ""}{prefix.rstrip(":")}="{V11}"'
    text = f"<{prefix}gpx {space}>{track(chr(10).join(lines), prefix)}</{prefix}gpx>"
    tally = Tally()
    assert times(tmp_path, text, tally) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert tally.skipped == {"broken": 1}


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ('lat="51,5" lon="7.4"', "'51,5' has a comma"),
        ('lon="7.4"', "the point has no lat"),
        ('lat="" lon="7.4"', "the point has no lat"),
        ('lat="51" lon="720"', "lon 720 is out of range"),
        ('lat="nan" lon="7"', "lat nan is out of range"),
    ],
)
def test_a_point_without_a_place_is_counted_with_its_line_p06(
    tmp_path: Path, point: str, reason: str
) -> None:
    bad = f"<trkpt {point}><time>2026-03-01T10:00:30Z</time></trkpt>\n"
    text = f'<gpx xmlns="{V11}">\n{track(bad + points(3))}</gpx>'
    tally = Tally()
    assert times(tmp_path, text, tally) == [0, 1, 2]
    assert tally.skipped == {"bad_position": 1}
    assert f"ride.gpx:3: {reason}" in tally.first["bad_position"]


@pytest.mark.parametrize(
    "time", ["10:00:1OZ", "2017-13-45T99:99:99Z", "yesterday", "2026-03-01T10:00:00+25:00"]
)
def test_a_malformed_time_is_not_taken_for_an_absent_one(tmp_path: Path, time: str) -> None:
    bad = f'<trkpt lat="51" lon="7"><time>{time}</time></trkpt>\n<trkpt lat="51" lon="7"/>\n'
    text = f'<gpx xmlns="{V11}">\n{track(bad + points(2))}</gpx>'
    tally = Tally()
    assert len(samples(tmp_path, text, tally)) == 2
    assert tally.skipped == {"bad_time": 1, "no_time": 1}
    with pytest.raises(InputError, match=r"ride\.gpx:3: "):
        samples(tmp_path, text, Tally(strict=True))


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE gpx [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]>'
    text = f'<?xml version="1.0"?>{bomb}<gpx xmlns="{V11}">{track(points(2))}</gpx>'
    with pytest.raises(InputError, match=r"ride\.gpx:1: declares entities"):
        samples(tmp_path, text)


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        samples(tmp_path, f'<gpx xmlns="{V11}">' + "<a>" * 100_000)


def test_another_document_is_not_gpx(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ride\.gpx:2: is not GPX: its root is kml"):
        samples(tmp_path, "<!-- x -->\n<kml/>")


def test_points_of_what_is_never_closed_are_counted(tmp_path: Path) -> None:
    lines = points(9).split("\n")
    lines[3] = "<!-- " + lines[3]
    tally = Tally()
    text = f'<gpx xmlns="{V11}">{track(chr(10).join(lines))}</gpx>'
    assert len(samples(tmp_path, text, tally)) + tally.left_out >= 9
