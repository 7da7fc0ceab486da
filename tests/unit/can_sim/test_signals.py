import cantools
import pytest
from can_sim.canlog.signals import decode
from cantools.database import Database, Message
from hypothesis import given
from hypothesis import strategies as st

DBC = """VERSION ""
BS_:
BU_: N

BO_ 614 Drive: 8 N
 SG_ Early : 1|7@1+ (0.5,-10) [0|0] "" N
 SG_ Middle : 13|10@0- (2,0) [0|0] "" N
 SG_ Late : 56|8@1+ (1,0) [0|0] "" N
 SG_ Real : 24|32@1- (1,0) [0|0] "" N

BO_ 1885 Groups: 8 N
 SG_ Selector M : 0|8@1+ (1,0) [0|0] "" N
 SG_ Zero m0 : 8|16@1+ (1,0) [0|0] "" N
 SG_ Twelve m12 : 8|8@1- (1,0) [0|0] "" N

SIG_VALTYPE_ 614 Real : 1;
"""


def database() -> Database:
    loaded = cantools.database.load_string(DBC, "dbc")
    assert isinstance(loaded, Database)
    return loaded


def message(name: str) -> Message:
    return database().get_message_by_name(name)


@given(st.binary(min_size=8, max_size=8))
def test_whole_frames_decode_as_cantools_decodes_them(data: bytes) -> None:
    drive = message("Drive")
    expected = drive.decode(data, decode_choices=False)
    assert isinstance(expected, dict)
    assert decode(drive, data).values == pytest.approx(expected, nan_ok=True)


def test_a_short_frame_gives_the_signals_whose_bits_are_there_d04() -> None:
    short = decode(message("Drive"), bytes.fromhex("1D00112F110087"))
    assert short.short
    assert set(short.values) == {"Early", "Middle", "Real"}
    whole = decode(message("Drive"), bytes.fromhex("1D00112F11008755"))
    assert {name: whole.values[name] for name in short.values} == short.values


@given(st.binary(max_size=7))
def test_no_signal_of_a_short_frame_is_guessed_d04(data: bytes) -> None:
    whole = decode(message("Drive"), data + b"\x5a" * (8 - len(data)))
    for name, value in decode(message("Drive"), data).values.items():
        assert value == pytest.approx(whole.values[name], nan_ok=True)


def test_only_the_selected_group_is_read() -> None:
    assert decode(message("Groups"), bytes.fromhex("00FF010000000000")).values == {
        "Selector": 0,
        "Zero": 0x01FF,
    }
    assert decode(message("Groups"), bytes.fromhex("0CFF010000000000")).values == {
        "Selector": 12,
        "Twelve": -1,
    }


def test_an_unknown_selector_leaves_its_part_undecoded_d06() -> None:
    found = decode(message("Groups"), bytes.fromhex("0D00000000000000"))
    assert found.values == {"Selector": 13}
    assert found.unknown_selectors == {"Selector": 13}


def test_an_empty_frame_gives_nothing() -> None:
    assert decode(message("Groups"), b"").values == {}
