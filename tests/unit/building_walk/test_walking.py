"""Stories follow from their seed, or from a file; a bad file is refused with its line."""

from pathlib import Path

import pytest
from building_walk import story, walking
from building_walk.errors import WalkError
from building_walk.plan import restarted

HEADER = "epoch_s,badge,station,network,rssi\n"
ROW = "1,e78f135624ce,sensor40,net4,-55\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sightings.csv"
    path.write_text(text, "utf-8")
    return path


def test_a_seed_makes_one_story_and_another_seed_another() -> None:
    assert walking.tell(40, 1, 1.0) == walking.tell(40, 1, 1.0)
    assert walking.tell(40, 1, 1.0) != walking.tell(40, 2, 1.0)


def test_everybody_is_seen_once_in_each_step_at_a_station_of_the_room() -> None:
    told = walking.tell(40, 3, 1.0)
    assert len(told.sightings) == 40 * len(told.people)
    assert len({(each.step, each.person) for each in told.sightings}) == len(told.sightings)
    assert all(each.station in told.rooms[each.room] for each in told.sightings)


def test_somebody_enters_where_the_step_before_was_elsewhere() -> None:
    told = walking.tell(40, 4, 1.0)
    for name in told.people:
        own = [each for each in told.sightings if each.person == name]
        rooms = [None, *(each.room for each in own)]
        assert [each.entered for each in own] == [
            before != each.room for before, each in zip(rooms, own, strict=False)
        ]


def test_only_doors_that_somebody_has_the_right_to_open() -> None:
    told = walking.tell(60, 5, 1.0)
    opened = {(each.person, each.room) for each in told.sightings if told.opens(each)}
    assert opened
    assert all(room in told.people[person].rooms for person, room in opened)
    assert not any(person == "guy" for person, _ in opened)


def test_mail_comes_for_staff_in_turn() -> None:
    told = walking.tell(30, 6, 1.0)
    assert {each.owner for each in told.mails} == {"ann", "bob"}
    assert all(not told.is_visitor(each.owner) for each in told.mails)


def test_restarts_are_spread_over_the_walk_and_none_is_after_its_end() -> None:
    names = restarted(("net1", "net2"))
    told = walking.tell(100, 1, 1.0, restarts=names)
    steps = [each.step for each in told.restarts]
    assert [each.name for each in told.restarts] == list(names)
    assert steps == sorted(set(steps))
    assert steps[0] > 0
    assert steps[-1] < told.steps


def test_the_badge_of_a_file_walks_as_the_file_states_and_begins_anew(tmp_path: Path) -> None:
    other = "2,e78f135624ce,sensor10,net1,-60\n"
    track = walking.read(written(tmp_path, HEADER + ROW + other))
    told = walking.tell(5, 1, 1.0, track)
    assert told.people["ann"].badge == "e78f135624ce"
    rooms = [each.room for each in told.sightings if each.person == "ann"]
    assert rooms == ["net4", "net1", "net4", "net1", "net4"]
    assert set(told.rooms) == {"net1", "net4"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "0 sightings"),
        (HEADER, "0 sightings"),
        ("a,b\n1,2\n", ":2: badge, station or network is missing"),
        (HEADER + ROW + ROW.replace("e78f", "e790"), ":3: a second badge"),
        (HEADER + ROW.replace("e78f135624ce", "xyz"), ":2: badge 'xyz' is not six bytes"),
        (HEADER + ROW.replace("net4", "a*"), ":2: network 'a*'"),
        (HEADER + ROW.replace("sensor40", "it's"), ':2: station "it\'s"'),
    ],
)
def test_a_file_that_is_no_track_is_refused_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(WalkError) as caught:
        walking.read(path)
    assert str(path) in str(caught.value)
    assert expected in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WalkError, match="cannot be read"):
        walking.read(tmp_path / "nothing.csv")


def test_a_story_comes_back_from_its_file(tmp_path: Path) -> None:
    told = walking.tell(10, 1, 1.0, restarts=("policy",))
    story.write(tmp_path, told)
    assert story.read(tmp_path) == told
