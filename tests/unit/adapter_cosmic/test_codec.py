import pytest
from adapter_cosmic.codec import altered, plain, timeout_s, to_cosmic, to_fes, to_native, to_record
from eventservices.cosmic import Delivery, Frame
from eventservices.cosmic.record import encode, record
from fes.errors import AdapterError, CodecError
from fes.mapping import Native
from fes.model import Event, Field, Type

FRAME = Frame(12345, b"FES0001\x37", time_us=9)


def delivery(subject: str, content: bytes, *, typed: bool = False) -> Delivery:
    return Delivery(subject, content, None, {"Priority": 7, "serial": 2**40}, typed, FRAME)


def test_a_frame_becomes_a_native_event_of_its_identifier() -> None:
    native = to_native(delivery("", b"FES0001\x37"), 77)
    assert (native.can_id, native.extended, native.octets) == (12345, True, b"FES0001\x37")
    assert (native.subject, native.time_us) == (None, 77)


def test_octets_of_a_channel_become_a_native_event_of_its_subject() -> None:
    native = to_native(delivery("Speed", b"\1\2"), 77)
    assert (native.subject, native.octets, native.can_id) == ("Speed", b"\1\2", None)
    assert [field.type for field in native.attributes] == [Type.LONG, Type.LONGLONG]


def test_a_record_becomes_parameters() -> None:
    content = encode(record("Speed", rate=55.0))
    native = to_native(delivery("Speed", content, typed=True), 77)
    assert native.parameters == (Field("rate", Type.DOUBLE, 55.0),)
    assert native.octets is None


@pytest.mark.parametrize("content", [b"\xc1", encode(record("Place"))])
def test_a_record_that_is_none_or_of_another_channel_is_refused(content: bytes) -> None:
    with pytest.raises(CodecError):
        to_native(delivery("Speed", content, typed=True), 77)


def test_every_type_crosses_as_a_record_and_comes_back() -> None:
    event = Event(
        "Speed",
        (
            Field("small", Type.LONGLONG, 5),
            Field("whole", Type.DOUBLE, 1.0),
            Field("inner", Type.EVENT, Event.of("Place", lat=49.9)),
        ),
        (Field("note", Type.STRING, "ü"),),
    )
    assert to_fes(to_record("Speed", event)) == event


def test_octets_go_out_as_they_are_with_their_attributes_beside_them() -> None:
    native = Native("Speed", (), (Field("Priority", Type.LONG, 7),), b"\1\2")
    made = to_cosmic(native, 99)
    assert (made.content, made.typed, made.expires_us) == (b"\1\2", False, 99)
    assert made.attributes == {"Priority": 7}


def test_events_within_attributes_of_octets_are_left_out() -> None:
    assert plain((Field("inner", Type.EVENT, Event.of("X")), Field("x", Type.LONG, 1))) == {"x": 1}


@pytest.mark.parametrize(
    "native", [Native(None, octets=b""), Native("S", (Field("x", Type.LONG, 1),), (), b"")]
)
def test_what_has_no_form_on_the_bus_is_refused(native: Native) -> None:
    with pytest.raises(AdapterError):
        to_cosmic(native, None)


@pytest.mark.parametrize(
    ("field", "left_s"),
    [
        (Field("Timeout", Type.DOUBLE, 1.5), 1.5),
        (Field("Timeout", Type.DOUBLE, -1.0), 0.0),
        (Field("Timeout", Type.STRING, "1.5"), None),
        (Field("Other", Type.DOUBLE, 1.5), None),
    ],
)
def test_the_time_left_is_the_timeout(field: Field, left_s: float | None) -> None:
    assert timeout_s(Native("S", (), (field,))) == left_s


@pytest.mark.parametrize(
    ("attribute", "count"),
    [
        (Field("a", Type.EVENT, Event.of("Place")), 1),
        (Field("a", Type.LONGLONG, 5), 1),
        (Field("a", Type.LONGLONG, 2**40), 0),
        (Field("a", Type.LONG, 5), 0),
        (Field("a", Type.DOUBLE, 5.0), 0),
        (Field("a", Type.BOOLEAN, value=True), 0),
        (Field("a", Type.OCTETS, b"\1"), 0),
    ],
)
def test_what_does_not_come_back_beside_octets_is_counted(attribute: Field, count: int) -> None:
    assert altered(Native("Speed", (), (attribute,), b"\1")) == count
    assert altered(Native(None, (), (attribute,), b"\1", 12345, extended=True)) == count
    assert altered(Native("Speed", (Field("rate", Type.DOUBLE, 1.0),), (attribute,))) == 0


def test_attributes_beside_octets_come_back_with_the_types_that_are_not_counted() -> None:
    kept = (Field("a", Type.LONGLONG, 2**40), Field("b", Type.DOUBLE, 5.0))
    told = Delivery("Speed", b"\1", None, plain(kept), typed=False, frame=FRAME)
    assert to_native(told, 77).attributes == kept
