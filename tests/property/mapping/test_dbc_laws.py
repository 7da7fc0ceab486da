"""Payloads of full length are read as cantools reads them, and go out as they came in."""

import pytest
from cantools.database.can import Database
from fes.mapping import Mapping, Native, load_rules
from hypothesis import given
from hypothesis import strategies as st

DBC = """VERSION ""
NS_ :
BS_:
BU_: A
BO_ 1 Mixed: 8 A
 SG_ A : 0|3@1+ (1,0) [0|0] "" A
 SG_ B : 3|11@1- (0.25,-7) [0|0] "" A
 SG_ C : 23|13@0- (-2,5) [0|0] "" A
 SG_ D : 32|16@1+ (0.0062,0) [0|0] "" A
 SG_ E : 49|10@0+ (1,0) [0|0] "" A
BO_ 2 Selected: 8 A
 SG_ M M : 7|2@0+ (1,0) [0|0] "" A
 SG_ X m0 : 15|24@0- (1,0) [0|0] "" A
 SG_ Y m1 : 8|40@1+ (0.5,1) [0|0] "" A
"""
KNOWN_BITS = {"A": "ff3ffff8ffff03ff", "X": "c0ffffff00000000", "Y": "c0ffffffffff0000"}
"""Which bits of the payload have a meaning, by a signal that it has."""


@pytest.fixture(scope="module")
def mapping(tmp_path_factory: pytest.TempPathFactory) -> Mapping:
    folder = tmp_path_factory.mktemp("dbc")
    (folder / "car.dbc").write_text(DBC)
    plain = [
        {"subject": name, "dbc": {"file": "car.dbc", "message": name}}
        for name in ("Mixed", "Selected")
    ]
    return Mapping(load_rules(plain, folder), automatic=False)


@pytest.fixture(scope="module")
def database() -> Database:
    made = Database()
    made.add_dbc_string(DBC)
    return made


@given(st.sampled_from([1, 2]), st.binary(min_size=8, max_size=8))
def test_a_payload_is_read_as_cantools_does_and_comes_back(
    mapping: Mapping, database: Database, can_id: int, octets: bytes
) -> None:
    ((event, _),) = mapping.to_events(Native(octets=octets, can_id=can_id))
    found = {field.id: field.value for field in event.parameters}
    if event.attribute("Undecoded"):
        assert octets[0] >> 6 >= 2
        assert found == {"M": octets[0] >> 6, "octets": octets}
        return
    assert found == pytest.approx(database.decode_message(can_id, octets))
    (native,) = mapping.to_native(event)
    known = next(bytes.fromhex(bits) for name, bits in KNOWN_BITS.items() if name in found)
    assert native.octets == bytes(a & b for a, b in zip(octets, known, strict=True))
