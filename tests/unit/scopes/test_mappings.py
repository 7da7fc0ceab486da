"""Mappings at the bounds of the event model: what cannot be mapped is blocked."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from fes import plugins
from fes.model import Event, Field, Type, binary
from fes.scopes import ScopeState
from fes.scopes.mappings.mapping import Gather, Mapping, Rule, Step
from fes.scopes.mappings.steps import converted, plugin, renamed, scaled
from fes.scopes.mappings.xml import from_xml

HUGE = "9" * 30
ORDER = Event.of("Order", n=1.0)
TWICE = Field("n", Type.LONG, 1)


def applied(step: Step | Gather, *events: Event) -> list[Event]:
    """Return what a mapping makes of events, as it leaves a gateway."""
    state, mapping = ScopeState(), Mapping((Rule(None, (step,)),))
    made = [m for each in events for m in mapping.apply(each, "a>b", state.gatherings)]
    state.changes()
    return [binary.decode(binary.encode(each)) for each in made]


def document(attributes: str) -> Event:
    return Event.of("Order", xml=f"<Order {attributes}/>")


@pytest.mark.parametrize(
    ("step", "event"),
    [
        (from_xml("xml", {"N": ("n", "long")}, "Order"), document(f"N='{HUGE}'")),
        (from_xml("xml", {"N": ("n", "long")}, "Order"), document("N='one'")),
        (from_xml("xml", {"N": ("n", "long")}, "Order"), Event.of("Order", xml="<Order")),
        (converted({"n": "long"}), Event.of("Order", n=1e30)),
        (converted({"n": "long"}), Event.of("Order", n=3_000_000_000)),
        (converted({"n": "longlong"}), Event.of("Order", n=float("inf"))),
        (converted({"n": "double"}), Event.of("Order", n="one")),
        (scaled({"n": (2.0, 0.0)}), Event.of("Order", n="one")),
        (renamed({"m": "n"}), Event.of("Order", n=1, m=2)),
    ],
)
def test_what_a_step_cannot_map_is_blocked(step: Step, event: Event) -> None:
    assert applied(step, event) == []


@pytest.mark.parametrize("how", ["sum", "mean", "min", "max"])
def test_events_that_cannot_be_gathered_are_blocked_and_the_next_ones_are_not(how: str) -> None:
    gather = Gather(2, results=(("of", how, "n"),))
    odd = Event.of("Order", n="one")
    (made,) = applied(gather, odd, ORDER, ORDER, ORDER)
    assert made.parameter("of") in (1.0, 2.0)


def fails(_: Event) -> Iterable[Event]:
    raise KeyError("n")


@pytest.mark.parametrize(
    "function",
    [
        fails,
        lambda event: event.subject,
        lambda event: None,
        lambda event: [Event("Order", (TWICE, TWICE), ())],
        lambda event: [Event("", (), ())],
        itertools.repeat,
    ],
)
def test_whatever_a_plug_in_raises_or_returns_its_event_is_blocked(
    function: Callable[[Event], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def load(self) -> Callable[[Event], Any]:
            return function

    monkeypatch.setattr(plugins, "entry_points", lambda **_: [Installed()])
    assert applied(plugin("mine"), ORDER) == []


def test_steps_that_would_make_ever_more_events_of_one_are_blocked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each may make a thousand: three of them would make a thousand million in one turn."""

    class Many:
        def load(self) -> Callable[[Event], Any]:
            return lambda event: [event] * 1000

    monkeypatch.setattr(plugins, "entry_points", lambda **_: [Many()])
    step = plugin("many")
    assert len(applied(step, ORDER)) == 1000
    assert Mapping((Rule(None, (step, step, step)),)).apply(ORDER, "place", None) == ()
