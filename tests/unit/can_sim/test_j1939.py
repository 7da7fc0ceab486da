"""Trucks: SAE J1939 messages are known by their parameter group."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.can_trace import CanSource, read
from can_sim.sources.positions import Positions
from can_sim.tally import Tally

S = 1_000_000
PDU2 = 0x80000000 | 0x18FEF1FE
PDU1 = 0x80000000 | 0x0CE5FFFE
J1939 = {
    "of the message": 'BA_DEF_DEF_ "VFrameFormat" "StandardCAN";\nBA_ "VFrameFormat" BO_ {id} 3;\n',
    "by default": 'BA_DEF_DEF_ "VFrameFormat" "J1939PG";\n',
    "of the database": 'BA_DEF_ "ProtocolType" STRING ;\nBA_DEF_DEF_ "ProtocolType" "";\n'
    'BA_ "ProtocolType" "J1939";\n',
}
FORMATS = 'BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";\n'


def database(message: int = PDU2, said: str = "of the message") -> str:
    formats = "" if said == "of the database" else FORMATS
    return (
        f'VERSION ""\nBS_:\nBU_: N\nBO_ {message} Motion: 8 N\n'
        ' SG_ WheelSpeed : 8|16@1+ (0.00390625,0) [0|250.996] "km/h" N\n\n'
        + formats
        + J1939.get(said, "").format(id=message)
    )


def speeds(
    folder: Path, lines: Sequence[tuple[float, int, str]], dbc: str, tally: Tally | None = None
) -> list[float]:
    (folder / "truck.log").write_text("".join(f"({t:.6f}) can0 {i:08X}#{d}\n" for t, i, d in lines))
    (folder / "truck.dbc").write_text(dbc)
    tally = tally or Tally()
    moving = Trace([Sample(n * S, "any", 50, 8, 0) for n in range(60)], Sampling.LINEAR)
    source = CanSource(folder / "truck.log", folder / "truck.dbc")
    trace = read(source, Positions(moving, "p.csv", tally), tally)
    return [sample.speed_kmh for sample in trace.samples]


def told(kmh: int) -> str:
    return f"FF{(kmh * 256).to_bytes(2, 'little').hex()}FFFFFFFFFF".upper()


@pytest.mark.parametrize("said", sorted(J1939))
def test_priority_and_sender_do_not_matter_p12(tmp_path: Path, said: str) -> None:
    lines = [(1, 0x18FEF100, told(50)), (2, 0x0CFEF100, told(51)), (3, 0x18FEF200, told(9))]
    tally = Tally()
    assert speeds(tmp_path, lines, database(said=said), tally) == [50, 51]
    assert tally.skipped == {"other_frame": 1}


@pytest.mark.parametrize("destination", [0x00, 0x17, 0xFF])
def test_the_destination_of_pdu_1_does_not_matter(tmp_path: Path, destination: int) -> None:
    lines = [(1, 0x18E50021 | destination << 8, told(50)), (2, 0x18E60021, told(51))]
    assert speeds(tmp_path, lines, database(PDU1)) == [50]


def test_the_data_page_does(tmp_path: Path) -> None:
    lines = [(1, 0x18FEF100, told(50)), (2, 0x19FEF100, told(51))]
    assert speeds(tmp_path, lines, database()) == [50]


def test_without_j1939_the_whole_identifier_counts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no frame of Motion\.WheelSpeed"):
        speeds(tmp_path, [(1, 0x18FEF100, told(50))], database(said="nowhere"))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("FFFF", "not_available"), ("00FE", "error_value"), ("00FB", "not_available")],
)
def test_what_is_no_value_is_left_out_by_its_reason_p12(
    tmp_path: Path, raw: str, reason: str
) -> None:
    wide = database().replace("[0|250.996]", "[0|0]")
    tally = Tally()
    lines = [(1, 0x18FEF100, told(50)), (2, 0x18FEF100, f"FF{raw}FFFFFFFFFF")]
    assert speeds(tmp_path, lines, wide, tally) == [50]
    assert tally.skipped == {reason: 1}


def test_of_several_senders_one_is_read_and_that_is_told_p12(tmp_path: Path) -> None:
    lines = [(float(n), 0x18FEF100, told(50 + n)) for n in range(1, 6)]
    lines += [(n + 0.5, 0x18FEF117, told(90)) for n in range(1, 3)]
    tally = Tally()
    assert speeds(tmp_path, lines, database(), tally) == [51, 52, 53, 54, 55]
    assert tally.skipped == {"other_sender": 2}
    assert any(
        "several senders; 0x00, which tells most, is read, and not 0x17" in n for n in tally.notes
    )


def test_a_log_that_cannot_be_read_is_told_with_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match=r"holds no frame of .*left out: 2 broken_line"):
        speeds(tmp_path, [(1, 0x18FEF100, "ZZ"), (2, 0x18FEF100, "1")], database())
