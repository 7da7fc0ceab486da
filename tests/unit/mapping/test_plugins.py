"""Plug-in functions."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from fes import plugins
from fes.errors import FederationError, MappingError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Field, Type

RULE = {"subject": "Speed", "native": {"subject": "text"}, "plugin": "text-speed"}


def text_speed(given: Native | Event) -> Iterable[Native | Event]:
    """Map `FES0001=83` and Speed events."""
    if isinstance(given, Event):
        text = f"{given.parameter('license_no')}={given.parameter('rate')}"
        return [Native("text", octets=text.encode())]
    licence, _, rate = (given.octets or b"").decode().partition("=")
    return [Event.of("Speed", license_no=licence, rate=int(rate))]


class Installed:
    """Stands for an installed entry point."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    def load(self) -> Any:
        return self._loaded


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put(*found: Any) -> None:
        points = [Installed(one) for one in found]
        monkeypatch.setattr(plugins, "entry_points", lambda **_: points)

    return put


def test_a_plug_in_maps_both_ways(install: Callable[..., None]) -> None:
    install(text_speed)
    mapping = Mapping(load_rules([RULE], Path()))
    native = Native("text", octets=b"FES0001=83")
    ((event, _),) = mapping.to_events(native)
    assert event == Event.of("Speed", license_no="FES0001", rate=83)
    assert mapping.to_native(event) == (native,)


def test_whatever_a_plug_in_raises_refuses_that_one_event(install: Callable[..., None]) -> None:
    install(text_speed)
    mapping = Mapping(load_rules([RULE], Path()))
    with pytest.raises(MappingError, match=r"rule 0 \(Speed\): plug-in failed: ValueError"):
        mapping.to_events(Native("text", octets=b"FES0001=fast"))
    assert mapping.counters.refused == 1
    assert mapping.to_events(Native("text", octets=b"FES0001=1"))


@pytest.mark.parametrize(
    "made",
    [Event("Other"), Event("Speed", (Field("a", Type.LONG, "b"),)), "Speed", Native("Speed")],
)
def test_a_plug_in_must_make_good_events_of_its_subject(
    made: object, install: Callable[..., None]
) -> None:
    install(lambda _given: [made])
    mapping = Mapping(load_rules([RULE], Path()))
    with pytest.raises(MappingError, match="the plug-in"):
        mapping.to_events(Native("text"))


def test_a_plug_in_must_make_native_events_on_the_way_out(install: Callable[..., None]) -> None:
    install(lambda given: [given])
    with pytest.raises(MappingError, match="must make native events"):
        Mapping(load_rules([RULE], Path())).to_native(Event("Speed"))


@pytest.mark.parametrize("found", [(), (text_speed, text_speed), (3,)])
def test_a_plug_in_that_is_not_there_is_told_when_rules_are_loaded(
    found: tuple[Any, ...], install: Callable[..., None]
) -> None:
    install(*found)
    with pytest.raises(FederationError, match="plug-in"):
        load_rules([RULE], Path())
