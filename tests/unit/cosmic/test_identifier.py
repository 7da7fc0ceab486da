import csv
from pathlib import Path

import pytest
from eventservices.cosmic.identifier import (
    COSMIC,
    FAMOUSO,
    Identifier,
    Layout,
    TimeClass,
    arbitration_key,
    check_can_id,
)
from eventservices.errors import MalformedError

LAYOUTS = {"cosmic": COSMIC, "famouso": FAMOUSO}
with (Path(__file__).parent / "identifiers.csv").open() as file:
    ROWS = list(csv.DictReader(file))


def parts(row: dict[str, str]) -> tuple[int, bool, int, int]:
    return int(row["priority"]), row["fragment"] == "1", int(row["node"]), int(row["etag"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_each_row_of_the_table_is_packed_and_unpacked(row: dict[str, str]) -> None:
    layout, can_id = LAYOUTS[row["layout"]], int(row["can_id"], 16)
    priority, fragment, node, etag = parts(row)
    assert layout.pack(priority, node, etag, fragment=fragment) == can_id
    assert layout.unpack(can_id) == (priority, fragment, node, etag)


@pytest.mark.parametrize("row", [row for row in ROWS if row["layout"] == "cosmic"])
def test_an_identifier_is_its_parts(row: dict[str, str]) -> None:
    priority, _, node, etag = parts(row)
    assert Identifier.of(int(row["can_id"], 16)) == Identifier(priority, node, etag)
    assert Identifier(priority, node, etag).can_id == int(row["can_id"], 16)


@pytest.mark.parametrize("layout", [COSMIC, FAMOUSO])
def test_a_layout_has_29_bits(layout: Layout) -> None:
    assert layout.priority + layout.fragment + layout.node + layout.etag == 29


@pytest.mark.parametrize(
    ("layout", "priority", "node", "etag", "named"),
    [
        (COSMIC, 256, 0, 0, "priority 256"),
        (COSMIC, -1, 0, 0, "priority -1"),
        (COSMIC, 0, 128, 0, "node 128"),
        (COSMIC, 0, 0, 16384, "etag 16384"),
        (FAMOUSO, 128, 0, 0, "priority 128"),
    ],
)
def test_a_field_that_does_not_fit_is_named(
    layout: Layout, priority: int, node: int, etag: int, named: str
) -> None:
    with pytest.raises(MalformedError, match=named):
        layout.pack(priority, node, etag)


def test_a_layout_without_a_fragment_bit_has_no_fragments() -> None:
    with pytest.raises(MalformedError, match="no bit"):
        COSMIC.pack(1, 1, 1, fragment=True)


@pytest.mark.parametrize(("can_id", "extended"), [(0x800, False), (1 << 29, True), (-1, True)])
def test_an_identifier_out_of_range_is_refused(can_id: int, *, extended: bool) -> None:
    with pytest.raises(MalformedError):
        check_can_id(can_id, extended=extended)


@pytest.mark.parametrize(
    ("priority", "time_class"),
    [
        (0, TimeClass.HRT),
        (1, TimeClass.SRT),
        (250, TimeClass.SRT),
        (251, TimeClass.NRT),
        (255, TimeClass.NRT),
    ],
)
def test_a_priority_tells_the_class(priority: int, time_class: TimeClass) -> None:
    assert Identifier(priority, 1, 200).time_class is time_class


def test_the_short_format_wins_where_the_first_11_bits_are_equal() -> None:
    short = arbitration_key(0x123, extended=False)
    assert short < arbitration_key(0x123 << 18, extended=True)
    assert arbitration_key(0x122 << 18 | 0x3FFFF, extended=True) < short
