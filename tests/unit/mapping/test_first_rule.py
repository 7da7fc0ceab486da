"""The first rule there is: CAN frames of 12345 and Speed events."""

import math
from pathlib import Path
from typing import Any

import pytest
from fes.errors import MappingError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Field, Type

RULE = {
    "native": {"can_id": 12345, "extended": True},
    "subject": "Speed",
    "parameters": {
        "license_no": {"bytes": [0, 6], "type": "string"},
        "rate": {"bytes": [7, 7], "type": "double"},
    },
}


def can_mapping(**changes: object) -> Mapping:
    return Mapping(load_rules([{**RULE, **changes}], Path()), automatic=False)


def frame(octets: bytes, can_id: int = 12345, **more: Any) -> Native:
    return Native(octets=octets, can_id=can_id, **{"extended": True, **more})


def test_a_frame_becomes_a_speed_event() -> None:
    ((event, time_us),) = can_mapping().to_events(frame(b"FES0001\x53"))
    assert event == Event(
        "Speed",
        (Field("license_no", Type.STRING, "FES0001"), Field("rate", Type.DOUBLE, 83.0)),
    )
    assert time_us is None


@pytest.mark.parametrize(
    ("rate", "octet"),
    [(0.0, 0), (0.49, 0), (0.5, 1), (1.5, 2), (2.5, 3), (83.4999, 83), (254.5, 255), (-0.5, 0)],
)
def test_the_octet_is_the_floor_of_rate_plus_a_half(rate: float, octet: int) -> None:
    mapping = can_mapping()
    (native,) = mapping.to_native(Event.of("Speed", license_no="FES0001", rate=rate))
    assert native == frame(b"FES0001" + bytes([octet]))
    assert mapping.counters.saturated == 0


@pytest.mark.parametrize(
    ("rate", "octet"),
    [(255.5, 255), (1e300, 255), (math.inf, 255), (-0.6, 0), (-math.inf, 0), (256, 255)],
)
def test_a_rate_out_of_range_goes_to_its_end_and_is_counted(rate: float, octet: int) -> None:
    mapping = can_mapping()
    (native,) = mapping.to_native(Event.of("Speed", license_no="FES0001", rate=rate))
    assert native.octets is not None
    assert native.octets[7] == octet
    assert mapping.counters.saturated == 1


def test_a_rate_that_is_no_number_is_refused() -> None:
    mapping = can_mapping()
    with pytest.raises(MappingError, match=r"rule 0 \(Speed\): parameter 'rate': nan"):
        mapping.to_native(Event.of("Speed", license_no="FES0001", rate=math.nan))
    assert mapping.counters.refused == 1
    assert mapping.counters.mapped == 0


def test_saturation_can_be_refused_instead() -> None:
    rate = {"bytes": [7, 7], "type": "double", "overflow": "refuse"}
    mapping = can_mapping(parameters={"rate": rate})
    with pytest.raises(MappingError, match=r"256 is not within 0\.\.255"):
        mapping.to_native(Event.of("Speed", rate=256))


def test_padding_is_stripped_on_the_way_in_and_added_on_the_way_out() -> None:
    mapping = can_mapping()
    for octets in (b"AB 1   \x05", b"AB 1\0\0\0\x05", b"AB 1 \0 \x05"):
        ((event, _),) = mapping.to_events(frame(octets))
        assert event.parameter("license_no") == "AB 1"
        assert mapping.to_native(event)[0].octets == b"AB 1\0\0\0\x05"


def test_text_that_is_too_long_is_refused_and_never_cut() -> None:
    with pytest.raises(MappingError, match=r"'license_no': text of 8 octets exceeds 7"):
        can_mapping().to_native(Event.of("Speed", license_no="FES00012", rate=1.0))


def test_text_outside_latin_1_is_refused_and_never_a_question_mark() -> None:
    mapping = can_mapping()
    (native,) = mapping.to_native(Event.of("Speed", license_no="Ü-É 9", rate=1.0))
    assert native.octets == b"\xdc-\xc9 9\0\0\x01"
    with pytest.raises(MappingError, match="'license_no': 'Ж1' is not latin-1"):
        mapping.to_native(Event.of("Speed", license_no="Ж1", rate=1.0))


def test_an_absent_parameter_is_refused_on_the_way_out() -> None:
    with pytest.raises(MappingError, match="'rate': the event has no such field"):
        can_mapping().to_native(Event.of("Speed", license_no="FES0001"))


def test_parameters_without_a_place_are_left_out_and_counted() -> None:
    mapping = can_mapping()
    mapping.to_native(Event.of("Speed", license_no="FES0001", rate=1.0, heading=90))
    assert mapping.counters.left_out == 1


def test_a_short_frame_keeps_what_is_there_in_full_and_is_counted() -> None:
    mapping = can_mapping()
    ((event, _),) = mapping.to_events(frame(b"FES0001"))
    assert [field.id for field in event.parameters] == ["license_no"]
    assert mapping.counters.short_frames == 1
    assert mapping.counters.by_kind["short_frames", "00003039"] == 1


@pytest.mark.parametrize(
    "native",
    [frame(b"FES0001\x53", extended=False, can_id=345), frame(b"FES0001\x53", can_id=12346)],
)
def test_a_frame_that_no_rule_matches_is_set_aside_and_counted(native: Native) -> None:
    mapping = can_mapping()
    assert mapping.to_events(native) == ()
    assert mapping.counters.unmatched == 1
    assert sum(mapping.counters.by_kind.values()) == 1


def test_an_11_bit_identifier_is_not_the_29_bit_one_of_the_same_number() -> None:
    mapping = can_mapping(native={"can_id": 345, "extended": True})
    assert mapping.to_events(frame(b"FES0001\x53", can_id=345))
    assert not mapping.to_events(frame(b"FES0001\x53", can_id=345, extended=False))


def test_a_subject_that_no_rule_maps_is_refused_where_nothing_is_automatic() -> None:
    with pytest.raises(MappingError, match="no rule maps subject 'Fuel'"):
        can_mapping().to_native(Event.of("Fuel", litres=3))


def test_a_frame_without_octets_is_refused() -> None:
    with pytest.raises(MappingError, match="has no octets"):
        can_mapping().to_events(Native(can_id=12345, extended=True))


def test_the_time_of_the_frame_becomes_the_time_of_the_event() -> None:
    ((_, time_us),) = can_mapping(time="frame").to_events(frame(b"FES0001\x53", time_us=7))
    assert time_us == 7


def test_the_number_of_kinds_counted_apart_is_bounded() -> None:
    mapping = can_mapping()
    for can_id in range(20_000, 22_000):
        mapping.to_events(frame(b"", can_id=can_id))
    assert mapping.counters.unmatched == 2000
    assert len(mapping.counters.by_kind) == 1025
    assert mapping.counters.by_kind["unmatched", "(others)"] == 2000 - 1024
