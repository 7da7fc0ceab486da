"""Control events as events, and back."""

import pytest
from fes.control import ControlEvent, RequestType, from_event, is_control, to_event
from fes.control.flat import flatten, unflatten
from fes.errors import ControlEventError
from fes.model import Event, Field, Stamp, Type

STAMP = Stamp("city/1;x", 1, 5, 1_700_000_000_000_000, "siena-m")
GOOD = {"Type": 2, "DistList": "north", "Source": "south", "Filter": "Speed"}


def control(kind: RequestType) -> ControlEvent:
    filtered = kind in (RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION)
    return ControlEvent(
        stamp=STAMP,
        system="traffic",
        type=kind,
        source="siena-m",
        dist_list="steam-m-*, x?",
        filter="subject = 'Speed' AND rate > 30" if filtered else "",
        event=None if filtered else Event.of("Speed", {"rate": 1.0}, {"Priority": 3}),
        path=("siena-m", "steam-m"),
        via=("a",) if kind is RequestType.PUBLICATION else (),
        requester="city",
        version=77,
        expires_us=99,
        next_gateway="g2" if kind is RequestType.PUBLICATION else "",
    )


@pytest.mark.parametrize("kind", list(RequestType))
def test_a_control_event_comes_back_as_it_was(kind: RequestType) -> None:
    event = to_event(control(kind))

    assert is_control(event.subject)
    assert from_event(event, None) == control(kind)
    assert from_event(unflatten(flatten(event)), None) == control(kind)


@pytest.mark.parametrize("kind", list(RequestType))
def test_the_parameters_are_those_of_the_thesis(kind: RequestType) -> None:
    event = to_event(control(kind))

    names = [field.id for field in event.parameters]
    assert names[:3] == ["Type", "DistList", "Source"]
    assert names[3:] == (["Filter"] if "SUBSCRIPTION" in kind.name else ["Event"])
    assert event.parameters[0] == Field("Type", Type.LONG, int(kind))
    assert not any(field.type is Type.EVENT for field in flatten(event).parameters)


def test_the_native_stamp_is_the_request_id_where_none_is_carried() -> None:
    event = Event.of("FES_ControlEvent", GOOD)

    assert from_event(event, STAMP).stamp == STAMP
    with pytest.raises(ControlEventError, match="no stamp"):
        from_event(event, None)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"Type": ...}, "'Type' is missing"),
        ({"Type": 6}, "'Type': no request has number 6"),
        ({"Type": "2"}, "'Type'"),
        ({"Type": True}, "'Type'"),
        ({"DistList": ...}, "'DistList' is missing"),
        ({"DistList": 5}, "'DistList'"),
        ({"Source": ...}, "'Source' is missing"),
        ({"Filter": ...}, "'Filter' is missing"),
        ({"Filter": b"x"}, "'Filter'"),
        ({"Type": 3}, "'Event' is missing"),
        ({"Type": 3, "Event": "x"}, "'Event' is missing or not an event"),
        ({"Type": 3, "Event": Event("FES_ControlEvent")}, "reserved"),
        ({"Type": 1, "Event": Event("FES_Other")}, "reserved"),
    ],
)
def test_a_malformed_control_event_is_refused_by_parameter(
    changes: dict[str, object], place: str
) -> None:
    values = {key: value for key, value in {**GOOD, **changes}.items() if value is not ...}

    with pytest.raises(ControlEventError, match=place):
        from_event(Event.of("FES_ControlEvent", values), STAMP)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FES_Id", "nonsense"),
        ("FES_Id", 5),
        ("FES_Path", ",".join("abcdefghijklmnopqrstuvwxyz")),
        ("FES_Version", "5"),
        ("FES_System", 5),
    ],
)
def test_malformed_bookkeeping_is_refused_by_attribute(name: str, value: object) -> None:
    with pytest.raises(ControlEventError, match=r"stamp|FES_"):
        from_event(Event.of("FES_ControlEvent", GOOD, {name: value}), STAMP)


def test_an_inner_event_that_is_no_text_of_an_event_is_refused() -> None:
    flat = Event.of("FES_ControlEvent", {"Type": 3, "Event": '{"subject": NaN}'})

    with pytest.raises(ControlEventError, match="'Event'"):
        unflatten(flat)
