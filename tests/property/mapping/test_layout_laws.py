"""What goes out through a layout comes in again, and the other way round."""

from pathlib import Path
from typing import Any

from fes.errors import FederationError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event
from hypothesis import assume, given
from hypothesis import strategies as st

LATIN_1 = st.characters(max_codepoint=255)
SCALES = st.sampled_from([0.05, 0.5, 0.0062, -0.08, 1.609344, 3.0, 1e-3]) | st.floats(1e-6, 1e6)
OFFSETS = st.sampled_from([0, -25, -40, 0.5]) | st.floats(-1e6, 1e6)


def can(rules: dict[str, Any], length: int | None = None) -> Mapping:
    plain: dict[str, Any] = {"subject": "S", "native": {"can_id": 1}, "parameters": rules}
    plain |= {} if length is None else {"length": length}
    return Mapping(load_rules([plain], Path()), automatic=False)


@st.composite
def number_layouts(draw: st.DrawFn) -> dict[str, Any]:
    field: dict[str, Any] = {
        "endian": draw(st.sampled_from(["little", "big"])),
        "signed": draw(st.booleans()),
        "type": draw(st.sampled_from(["long", "longlong", "double"])),
    }
    if draw(st.booleans()):
        first = draw(st.integers(0, 7))
        field["bytes"] = [first, draw(st.integers(first, 7))]
    elif field["endian"] == "little":
        start = draw(st.integers(0, 63))
        field["bits"] = [start, draw(st.integers(1, 64 - start))]
    else:
        place = draw(st.integers(0, 63))
        start = 8 * (place // 8) + 7 - place % 8
        field["bits"] = [start, draw(st.integers(1, 64 - place))]
    if field["type"] == "double" and draw(st.booleans()):
        field |= {"scale": draw(SCALES), "offset": draw(OFFSETS)}
    elif draw(st.booleans()):
        field |= {"scale": draw(st.sampled_from([2, -3, 10])), "offset": draw(st.integers(-9, 9))}
    return field


@given(number_layouts(), st.binary(min_size=8, max_size=8))
def test_octets_that_came_in_through_a_number_go_out_again(
    layout: dict[str, Any], octets: bytes
) -> None:
    try:
        mapping = can({"x": layout}, 8)
    except FederationError:
        assume(False)  # a layout in which values would lose digits
    ((event, _),) = mapping.to_events(Native(octets=octets, can_id=1))
    (there,) = mapping.to_native(event)
    assert mapping.to_events(there)[0][0] == event
    assert mapping.counters.saturated == 0
    assert there.octets is not None
    ((again, _),) = can({"x": layout}, 8).to_events(there)
    (once_more,) = mapping.to_native(again)
    assert once_more == there


@given(number_layouts(), st.data())
def test_writing_a_number_leaves_all_bits_around_it_alone(
    layout: dict[str, Any], data: st.DataObject
) -> None:
    try:
        mapping = can({"x": layout}, 8)
    except FederationError:
        assume(False)
    octets = data.draw(st.binary(min_size=8, max_size=8))
    cell = mapping.rules[0].frame.parameters[0]  # type: ignore[union-attr]  # it has a layout
    buffer = bytearray(octets)
    cell.layout.write(buffer, cell.layout.read(octets))
    assert bytes(buffer) == octets


@given(st.text(alphabet=LATIN_1, max_size=7), st.sampled_from(["nul", "space"]))
def test_text_that_fits_comes_back_without_its_padding(text: str, pad: str) -> None:
    mapping = can({"x": {"bytes": [1, 7], "type": "string", "pad": pad}})
    (native,) = mapping.to_native(Event.of("S", x=text))
    assert len(native.octets or b"") == 8
    assert mapping.to_events(native)[0][0] == Event.of("S", x=text.rstrip("\0 "))


@given(st.binary(max_size=12), st.tuples(st.booleans()), st.floats(width=32), st.floats())
def test_octets_booleans_and_reals_come_back_exactly(
    octets: bytes, flags: tuple[bool], small: float, large: float
) -> None:
    mapping = can(
        {
            "flag": {"bits": [3, 1], "type": "boolean"},
            "small": {"bytes": [1, 4], "type": "double", "float": True},
            "large": {"bytes": [5, 12], "type": "double", "float": True, "endian": "big"},
            "rest": {"bytes": [13, None], "type": "octets"},
        }
    )
    event = Event.of("S", flag=flags[0], small=small, large=large, rest=octets)
    (native,) = mapping.to_native(event)
    assert repr(mapping.to_events(native)[0][0]) == repr(event)  # NaN equals nothing
