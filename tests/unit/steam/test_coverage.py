from collections import deque
from collections.abc import Iterable

import pytest
from eventservices.errors import RefusedError
from eventservices.steam.cells import Grid
from eventservices.steam.counters import Counters
from eventservices.steam.coverage import Channel, Coverage
from eventservices.steam.fanout import Fanout
from eventservices.steam.geometry import Position
from eventservices.steam.topics import Topics

SPEED, ALARM = Channel("event", "Speed"), Channel("event", "Alarm")
START, FAR = Position(50.0, 11.0), Position(50.1, 11.0)


class RecordingFanout(Fanout):
    """Keeps what was joined and left, in order."""

    def __init__(self) -> None:
        super().__init__(Counters(), deque())
        self.steps: list[tuple[str, str]] = []

    def join(self, kind: object, topics: Iterable[str], listener: object) -> list[object]:  # type: ignore[override]  # records only
        self.steps += [("join", topic) for topic in topics]
        return []

    def leave(self, topics: Iterable[str], listener: object) -> None:
        self.steps += [("leave", topic) for topic in topics]

    @property
    def joined(self) -> set[str]:
        topics: set[str] = set()
        for step, topic in self.steps:
            (topics.add if step == "join" else topics.discard)(topic)
        return topics


@pytest.fixture
def fanout() -> RecordingFanout:
    return RecordingFanout()


@pytest.fixture
def coverage(fanout: RecordingFanout) -> Coverage:
    return Coverage(fanout, Grid(300.0), Topics("air"), reach_m=150.0, leave_after_s=2.0)


def ignore(_message: object) -> None:
    pass


def test_new_cells_are_joined_before_old_ones_are_left_and_those_late(
    coverage: Coverage, fanout: RecordingFanout
) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    old = fanout.joined
    coverage.move(FAR, 1.0)
    assert old < fanout.joined
    coverage.move(FAR, 2.0)
    assert old < fanout.joined
    coverage.move(FAR, 2.1)
    assert fanout.joined
    assert not fanout.joined & old


def test_a_receiver_that_stands_still_asks_for_nothing_new(
    coverage: Coverage, fanout: RecordingFanout
) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    before = list(fanout.steps)
    for second in range(1, 10):
        coverage.move(START, float(second))
    assert fanout.steps == before


def test_a_channel_added_later_covers_the_same_cells(
    coverage: Coverage, fanout: RecordingFanout
) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    coverage.add(ALARM, ignore)
    assert {topic.replace("Alarm", "Speed") for topic in fanout.joined} == {
        topic for topic in fanout.joined if topic.endswith("Speed")
    }
    coverage.remove(SPEED)
    assert all(topic.endswith("Alarm") for topic in fanout.joined)
    assert len(fanout.joined) == len(coverage.cells)


def test_a_receiver_whose_place_is_unknown_leaves_its_cells_late(
    coverage: Coverage, fanout: RecordingFanout
) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    coverage.move(None, 1.9)
    assert fanout.joined
    coverage.move(None, 2.1)
    assert not fanout.joined


def test_a_receiver_that_comes_back_in_time_keeps_its_cells(
    coverage: Coverage, fanout: RecordingFanout
) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    coverage.move(FAR, 1.0)
    coverage.move(START, 1.9)
    coverage.move(START, 3.0)
    assert sum(topic in fanout.joined for _, topic in fanout.steps) >= len(coverage.cells)
    assert ("leave", Topics("air").of("event", Grid(300.0).cell(START), "Speed")) not in (
        fanout.steps
    )


def test_nothing_is_left_when_it_is_cleared(coverage: Coverage, fanout: RecordingFanout) -> None:
    coverage.add(SPEED, ignore)
    coverage.move(START, 0.0)
    coverage.clear()
    assert not fanout.joined
    assert not coverage.cells


class FullFanout(RecordingFanout):
    """Has no room for alarms until there is."""

    full = True

    def join(self, kind: object, topics: Iterable[str], listener: object) -> list[object]:  # type: ignore[override]  # records only
        wanted = list(topics)
        if self.full and any(topic.endswith("Alarm") for topic in wanted):
            raise RefusedError("full")
        return super().join(kind, wanted, listener)


def test_what_was_refused_leaves_nothing_behind_and_is_tried_again_where_one_stands() -> None:
    fanout = FullFanout()
    coverage = Coverage(fanout, Grid(300.0), Topics("air"), reach_m=150.0, leave_after_s=2.0)
    coverage.add(SPEED, ignore)
    coverage.add(ALARM, ignore)  # no cell is covered yet
    for second in range(2):
        with pytest.raises(RefusedError):
            coverage.move(START, float(second))
        assert fanout.joined == set()
        assert not coverage.cells
    fanout.full = False
    coverage.move(START, 2.0)
    assert {topic.rpartition("/")[2] for topic in fanout.joined} == {"Speed", "Alarm"}
