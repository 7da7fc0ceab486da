"""The event model: types, ranges, access, limits."""

import pytest
from eventservices.errors import MalformedError
from eventservices.steam.proximity import parse_proximity as steam_proximity
from fes.errors import EventError, LimitError
from fes.model import Event, Field, Type, check_event, type_of
from fes.model.attributes import Circle, Rectangle, expires_us, parse_proximity, write_proximity
from fes.model.limits import Limits, check_limits, check_size


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", Type.STRING),
        (0, Type.LONG),
        (2**31 - 1, Type.LONG),
        (-(2**31), Type.LONG),
        (2**31, Type.LONGLONG),
        (-(2**31) - 1, Type.LONGLONG),
        (2**63 - 1, Type.LONGLONG),
        (1.0, Type.DOUBLE),
        (True, Type.BOOLEAN),
        (b"\xff", Type.OCTETS),
        (Event("Inner"), Type.EVENT),
    ],
)
def test_a_value_takes_the_smallest_type_that_holds_it(value: object, kind: Type) -> None:
    assert type_of(value) is kind


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, None, [1], {"a": 1}, 1j])
def test_a_value_that_no_type_holds_is_an_error_that_names_the_place(value: object) -> None:
    with pytest.raises(EventError, match="parameter 'rate'"):
        Event.of("Speed", {"rate": value})


def test_fields_are_reachable_by_index_and_by_identifier() -> None:
    event = Event.of("Speed", {"license_no": "x", "rate": 5.0}, {"Priority": 3})

    assert event.parameter(1) == event.parameter("rate") == 5.0
    assert event.attribute(0) == event.attribute("Priority") == 3
    assert event.parameter("Rate") is None
    assert event.parameter(2) is None
    assert event.parameter(-1) is None


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Event(""), "subject is empty"),
        (Event("a\ud800"), "lone surrogate"),
        (Event("a", (Field("x", Type.LONG, 1), Field("x", Type.LONG, 2))), "'x' occurs twice"),
        (Event("a", (Field("x", Type.LONG, 2**31),)), "does not fit 32 bit"),
        (Event("a", (Field("x", Type.LONG, True),)), "an integer was declared"),
        (Event("a", (Field("x", Type.DOUBLE, 1),)), "a double was declared"),
        (Event("a", (Field("x", Type.STRING, b"x"),)), "a string was declared"),
        (Event("a", (Field("x", Type.EVENT, "x"),)), "an event was declared"),
        (Event("a", (), (Field("x", Type.BOOLEAN, 0),)), "attribute 'x'"),
    ],
)
def test_an_event_that_breaks_the_model_is_refused_by_name(event: Event, reason: str) -> None:
    with pytest.raises(EventError, match=reason):
        check_event(event)


def test_events_nest_to_a_limit() -> None:
    event = Event("leaf")
    for _ in range(32):
        event = Event("node", (Field("inner", Type.EVENT, event),))
    assert check_event(event) is event

    with pytest.raises(EventError, match="deeper than 32"):
        check_event(Event("node", (Field("inner", Type.EVENT, event),)))


def test_setting_attributes_keeps_the_others_and_their_order() -> None:
    event = Event.of("a", {}, {"Priority": 1, "note": "x"}).with_attributes({"Priority": 2, "n": 5})

    assert [(field.id, field.value) for field in event.attributes] == [
        ("Priority", 2),
        ("note", "x"),
        ("n", 5),
    ]


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("0,1,0,0,300", Circle(0.0, 0.0, 300.0, relative=True)),
        ("0, 0, 52.6, -8.6, 150.5", Circle(52.6, -8.6, 150.5, relative=False)),
        ("0,1,.5,-1.,+3E2", Circle(0.5, -1.0, 300.0, relative=True)),
        ("1,1,0,0,100,50", Rectangle(0.0, 0.0, 100.0, 50.0, relative=True)),
    ],
)
def test_a_proximity_is_read_and_written(text: str, area: Circle | Rectangle) -> None:
    assert parse_proximity(text) == area
    assert parse_proximity(write_proximity(area)) == area


@pytest.mark.parametrize(
    "text",
    ["", "0", "0,1,0,0", "2,0,0,0,1", "0,2,0,0,1", "0,1,0,0,-1", "0,1,0,0,nan", "a,b", "1,0,0,0,1"],
)
def test_a_proximity_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(EventError, match="Proximity"):
        parse_proximity(text)


@pytest.mark.parametrize(
    "number",
    ["1_000", "٣٠٠", "\uff13\uff10\uff10", "0x10", "infinity", "1e999", "1 0", "", "1" * 2000],
)
def test_what_only_python_takes_for_a_number_is_none(number: str) -> None:
    """STEAM refuses the same texts."""
    text = f"0,1,0,0,{number}"
    with pytest.raises(EventError, match="Proximity"):
        parse_proximity(text)
    with pytest.raises(MalformedError):
        steam_proximity(text)


@pytest.mark.parametrize("text", ["0.0,1,0,0,300", "0,1.0,0,0,300", "\uff10,1,0,0,300"])
def test_shape_and_reference_are_one_digit(text: str) -> None:
    with pytest.raises(EventError, match="Proximity"):
        parse_proximity(text)
    with pytest.raises(MalformedError):
        steam_proximity(text)


def test_an_event_expires_at_its_earliest_end() -> None:
    event = Event.of("a", {}, {"Timeout": 2.5, "StopTime": "1970-01-01T00:00:11Z"})

    assert expires_us(event, 10_000_000) == 11_000_000
    assert expires_us(Event.of("a", {}, {"Timeout": 0.5}), 10_000_000) == 10_500_000
    assert expires_us(Event.of("a"), 10_000_000) == 0


@pytest.mark.parametrize("attributes", [{"Timeout": "x"}, {"Timeout": -1.0}, {"StopTime": "soon"}])
def test_an_end_that_is_none_is_refused(attributes: dict[str, object]) -> None:
    with pytest.raises(EventError, match=r"Timeout|StopTime"):
        expires_us(Event.of("a", {}, attributes), 0)


def test_limits_name_what_exceeds_them() -> None:
    limits = Limits(event_bytes=100, fields=2, name_length=5)
    check_limits(Event.of("abcde", x=1, y=2), limits)
    check_size(100, limits)

    with pytest.raises(LimitError, match="101 bytes"):
        check_size(101, limits)
    with pytest.raises(LimitError, match="3 fields"):
        check_limits(Event.of("a", x=1, y=2, z=3), limits)
    with pytest.raises(LimitError, match="identifier 'abcdef'"):
        check_limits(Event.of("a", abcdef=1), limits)
