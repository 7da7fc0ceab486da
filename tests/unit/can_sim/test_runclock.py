"""The clock of a run, read from its file."""

from argparse import Namespace
from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.runclock import apply_clock


def options(path: Path | None) -> Namespace:
    return Namespace(clock=path, clock_start_us=None, clock_start_wall_us=None, speedup=1.0)


def test_the_file_stands_for_the_options(tmp_path: Path) -> None:
    file = tmp_path / "clock.json"
    file.write_text('{"start_us": 5, "wall_start_us": 17, "speed": 2.5}')
    told = options(file)
    apply_clock(told)
    assert (told.clock_start_us, told.clock_start_wall_us, told.speedup) == (5, 17, 2.5)


def test_without_a_file_the_options_stay() -> None:
    told = options(None)
    apply_clock(told)
    assert told == options(None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ("[]", "start_us: None"),
        ('{"start_us": true, "wall_start_us": 1, "speed": 1}', "start_us: True"),
        ('{"start_us": 0, "wall_start_us": 1e300, "speed": 1}', "wall_start_us"),
        ('{"start_us": 0, "wall_start_us": 1, "speed": 0}', "speed: 0"),
        ('{"start_us": 0, "wall_start_us": 1, "speed": NaN}', "speed: nan"),
    ],
)
def test_a_clock_that_is_none_is_told_by_field(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "clock.json"
    file.write_text(text)
    with pytest.raises(InputError, match=f"clock.json: {reason}"):
        apply_clock(options(file))


def test_an_absent_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        apply_clock(options(tmp_path / "clock.json"))
