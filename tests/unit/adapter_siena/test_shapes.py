"""What is about to be published is advertised first, each shape once."""

from typing import Any

import pytest
from adapter_siena import shapes
from adapter_siena.shapes import Shapes
from eventservices.siena import Filter, Notification, covers_notification


class Held:
    """Stands for the advertisements of a client."""

    def __init__(self) -> None:
        self.now: list[Filter] = []

    async def hold(self, what: Filter) -> None:
        self.now.append(what)

    async def release(self, what: Filter) -> None:
        self.now.remove(what)


def speed(**values: Any) -> Notification:
    return Notification({"FES_Subject": "Speed", **values})


async def test_each_shape_is_advertised_once_and_covers_what_has_it() -> None:
    held = Held()
    made = Shapes(held)  # type: ignore[arg-type] # a fake
    for rate in (50.0, 83.0):
        await made.before(speed(rate=rate))
    assert len(held.now) == len(made) == 1
    assert covers_notification(held.now[0], speed(rate=99.0).attributes)
    await made.before(speed(rate=50.0, note="x"))
    assert len(held.now) == 2
    assert covers_notification(held.now[1], speed(rate=1.0, note="y").attributes)


async def test_the_shapes_are_bounded_and_the_one_unused_longest_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shapes, "SHAPES_MAX", 2)
    held = Held()
    made = Shapes(held)  # type: ignore[arg-type] # a fake
    for name in ("a", "b", "a", "c"):
        await made.before(speed(**{name: 1}))
    assert len(made) == 2
    assert [
        any(covers_notification(f, speed(**{n: 1}).attributes) for f in held.now) for n in "abc"
    ] == [
        True,
        False,
        True,
    ]
