import pytest
from adapter_steam.control import (
    CAPACITY,
    CONTROL_TYPE,
    PIECE_LENGTH,
    PIECES,
    from_steam_control,
    to_steam_control,
)
from eventservices.stamp import Stamp
from eventservices.steam import Event as SteamEvent
from eventservices.steam import Notification, Position, around
from fes.control import CONTROL_SUBJECT, ControlEvent, RequestType, to_event
from fes.errors import AdapterError, CodecError
from fes.model import Event
from fes.model import Stamp as FesStamp
from hypothesis import given
from hypothesis import strategies as st


def control(note: str) -> Event:
    return to_event(
        ControlEvent(
            stamp=FesStamp("city", 1, 5, 17, "far"),
            system="test",
            type=RequestType.ANNOUNCEMENT,
            source="far",
            dist_list="near",
            event=Event.of("Speed", note=note, raw=b"\x00\xff"),
            version=17,
        )
    )


def heard(said: SteamEvent) -> Notification:
    return Notification(
        Stamp("g.s", 1, 1, 17, "s"),
        "g.s",
        Position(50.0, 11.0),
        300.0,
        around(300.0),
        said.subject,
        dict(said.parameters),
        {},
    )


@given(st.text(max_size=200), st.sampled_from((1, 20, 100)))
def test_a_control_event_comes_back_whole(note: str, times: int) -> None:
    event = control(note * times)
    assert from_steam_control(heard(to_steam_control(event))) == event


def test_it_always_has_the_same_layout() -> None:
    for note in ("", "ü" * 20_000):
        said = to_steam_control(control(note))
        CONTROL_TYPE.check(said.parameters)
        assert len(said.parameters) == PIECES
    assert list(to_steam_control(control("")).parameters.values())[1:] == [""] * (PIECES - 1)


def test_one_that_fills_every_string_crosses_and_one_character_more_is_refused() -> None:
    room = CAPACITY - len("".join(map(str, to_steam_control(control("")).parameters.values())))
    full = control("x" * room)
    said = to_steam_control(full)
    assert {len(str(text)) for text in said.parameters.values()} == {PIECE_LENGTH}
    assert from_steam_control(heard(said)) == full

    with pytest.raises(AdapterError, match=f"of {CAPACITY + 1} characters .* limit of {CAPACITY}"):
        to_steam_control(control("x" * (room + 1)))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"Text01": 5},
        {"Text01": "{"},
        {"Text01": "x" * (PIECE_LENGTH + 1)},
        {"Text01": '{"subject": "Speed"}'},
    ],
)
def test_what_tells_no_control_event_is_an_error(parameters: dict[str, object]) -> None:
    said = SteamEvent(CONTROL_SUBJECT, parameters)  # type: ignore[arg-type]  # as a vandal would
    with pytest.raises(CodecError):
        from_steam_control(heard(said))
