"""Which notifications form a sequence, told by time."""

import pytest
from eventservices.siena import Notification, Pattern, PatternMatch, parse_pattern
from eventservices.siena.recognise import Recogniser
from eventservices.stamp import Stamp

AB = parse_pattern('pattern{ filter{ k ="a"} filter{ k ="b"}}')
ABC = parse_pattern('pattern{ filter{ k ="a"} filter{ k ="b"} filter{ k ="c"}}')
TWICE = parse_pattern("pattern{ filter{ k any} filter{ k any}}")


class World:
    """A recogniser, what it told and what it dropped; time is the arrival unless given."""

    def __init__(self, pattern: Pattern = AB, kept: int = 100) -> None:
        self.told: list[str] = []
        self.dropped = 0
        self.now_us = 0
        self.recogniser = Recogniser(
            pattern, kept=kept, clock_us=lambda: self.now_us, tell=self._tell, drop=self._drop
        )

    def _tell(self, sequence: PatternMatch) -> None:
        self.told.append(" ".join(str(each.notification["name"]) for each in sequence))

    def _drop(self) -> None:
        self.dropped += 1

    def take(self, name: str, time_us: int | None = None) -> None:
        """Take a notification whose kind is the first letter of its name."""
        self.now_us += 1
        stamp = None if time_us is None else Stamp("o", 1, self.now_us, time_us, "h")
        self.recogniser.take(Notification({"k": name[0], "name": name}), stamp)


@pytest.mark.parametrize(
    ("pattern", "arrivals", "told"),
    [
        (AB, "a b", ["a b"]),
        (AB, "b a", []),
        (AB, "a x y b", ["a b"]),
        (AB, "b1 a b2", ["a b2"]),
        (AB, "a1 a2 b1 b2 b3", ["a1 b1", "a2 b2"]),
        (AB, "a1 b1 a2 b2", ["a1 b1", "a2 b2"]),
        (ABC, "a c b c2", ["a b c2"]),
        (ABC, "a b a2 c b2 c2", ["a b c", "a2 b2 c2"]),
        (TWICE, "x", []),
        (TWICE, "x y z", ["x y"]),
        (TWICE, "x y z u", ["x y", "z u"]),
        (parse_pattern('pattern{ filter{ k ="a"}}'), "a1 b a2", ["a1", "a2"]),
    ],
)
def test_sequences_are_told_as_they_are_completed(
    pattern: Pattern, arrivals: str, told: list[str]
) -> None:
    world = World(pattern)
    for name in arrivals.split():
        world.take(name)
    assert world.told == told


def test_time_decides_on_the_order_and_not_arrival() -> None:
    world = World()
    world.take("b", 20)
    world.take("a2", 30)
    assert world.told == []
    world.take("a1", 10)
    assert world.told == ["a1 b"]


def test_at_equal_times_arrival_decides() -> None:
    world = World()
    world.take("b", 5)
    world.take("a", 5)
    assert world.told == []
    world.take("b2", 5)
    assert world.told == ["a b2"]


def test_what_has_no_stamp_has_the_time_at_which_it_came() -> None:
    world = World()
    world.take("a")
    world.take("b", 0)
    assert world.told == []
    world.take("b2")
    assert world.told == ["a b2"]


def test_the_oldest_goes_at_the_bound_and_is_counted_and_another_filter_loses_nothing() -> None:
    world = World(kept=2)
    for number in range(5):
        world.take(f"a{number}")
    assert (world.dropped, len(world.recogniser)) == (3, 2)
    for number in range(5):
        world.take(f"b{number}")
    assert world.told == ["a3 b0", "a4 b1"]


def test_a_frequent_second_does_not_drive_out_a_rare_first() -> None:
    world = World(ABC, kept=3)
    world.take("a")
    for number in range(50):
        world.take(f"b{number}")
    world.take("c")
    assert world.told == ["a b47 c"]
    assert world.dropped == 47


def test_what_does_not_match_is_not_kept() -> None:
    world = World()
    for _ in range(10):
        world.take("x")
    assert len(world.recogniser) == 0
