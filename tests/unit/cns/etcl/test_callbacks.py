from typing import Any

import pytest
from eventservices.cns.errors import AdminLimitExceededError, InterfaceError
from eventservices.cns.etcl import (
    CallbackNotFoundError,
    Filter,
    FilterDestroyedError,
    InvalidConstraintError,
)
from eventservices.cns.etcl.callbacks import MAX_CALLBACKS
from eventservices.cns.event import structured_event
from eventservices.cns.event_type import ALL_TYPES, EventType

SPEED = EventType("Traffic", "Speed")
ALARM = EventType("Telecom", "Alarm")


def made(*constraints: tuple[Any, str]) -> Filter:
    found = Filter()
    found.add_constraints(constraints)
    return found


class Callback:
    def __init__(self) -> None:
        self.changes: list[tuple[list[EventType], list[EventType]]] = []

    def subscription_change(self, added: list[EventType], removed: list[EventType]) -> None:
        self.changes.append((added, removed))


def test_callbacks_hear_how_the_set_of_types_changes() -> None:
    found, callback = Filter(), Callback()
    found.attach_callback(callback)
    found.add_constraints([([SPEED], ""), ([SPEED, ALARM], "")])
    found.add_constraints([([SPEED], "TRUE")])
    found.add_constraints([([], "$rate > 1"), ([("*", "%ALL")], "$rate > 2")])
    found.modify_constraints([1], [(([("Traffic", "")], ""), 0)])
    found.remove_all_constraints()

    every = EventType("Traffic", "*")
    assert callback.changes == [
        ([ALARM, SPEED], []),
        ([ALL_TYPES], []),
        ([every], [ALARM]),
        ([], [ALL_TYPES, every, SPEED]),
    ]
    assert found.event_types == frozenset()


def test_a_change_that_is_refused_tells_nobody() -> None:
    found, callback = made(([SPEED], "")), Callback()
    found.attach_callback(callback)
    with pytest.raises(InvalidConstraintError):
        found.add_constraints([([ALARM], ""), ([], "#")])

    assert callback.changes == []


def test_a_callback_that_raises_is_counted_and_the_others_are_called(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken:
        def subscription_change(self, added: list[EventType], removed: list[EventType]) -> None:
            raise RuntimeError

    found, callback = Filter(), Callback()
    found.attach_callback(Broken())
    found.attach_callback(callback)
    found.add_constraints([([SPEED], "")])

    assert callback.changes == [([SPEED], [])]
    assert found.callbacks_failed == 1
    assert "client_failed" in caplog.text


def test_callbacks_are_attached_and_detached_by_id() -> None:
    found, callback = Filter(), Callback()
    first, second = found.attach_callback(callback), found.attach_callback(Callback())
    assert found.get_callbacks() == (first, second)
    found.detach_callback(first)
    found.add_constraints([([SPEED], "")])

    assert callback.changes == []
    assert found.get_callbacks() == (second,)
    with pytest.raises(CallbackNotFoundError) as caught:
        found.detach_callback(first)
    assert caught.value.callback_id == first


def test_a_callback_needs_its_operation() -> None:
    with pytest.raises(InterfaceError, match="subscription_change"):
        Filter().attach_callback(object())


def test_a_filter_has_so_many_callbacks_and_no_more() -> None:
    found = Filter()
    for _ in range(MAX_CALLBACKS):
        found.attach_callback(Callback())
    with pytest.raises(AdminLimitExceededError, match="MaxCallbacks"):
        found.attach_callback(Callback())


def test_a_destroyed_filter_matches_nothing_and_takes_nothing() -> None:
    found, callback = made(([SPEED], "")), Callback()
    attached = found.attach_callback(callback)
    found.destroy()
    found.destroy()
    found.detach_callback(attached)

    assert found.destroyed
    assert callback.changes == [([], [SPEED])]
    assert found.get_callbacks() == ()
    assert not found.match_structured(structured_event(SPEED))
    for act in (
        lambda: found.add_constraints([([], "")]),
        lambda: found.modify_constraints([], []),
        found.remove_all_constraints,
        lambda: found.attach_callback(callback),
    ):
        with pytest.raises(FilterDestroyedError):
            act()
