"""Options of a process."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from fes.options import OptionParser, add_part, port


def parser(environment: Mapping[str, str]) -> OptionParser:
    made = OptionParser("part", "A part.", environment)
    add_part(made)
    made.option("--link-port", "a port", kind=port, default=0)
    return made


GIVEN = ["--federation", "f.yaml", "--run", "r"]


def test_the_environment_stands_for_what_is_not_given() -> None:
    environment = {"FES_FEDERATION": "e.yaml", "FES_RUN": "runs/1", "FES_LINK_PORT": "17"}
    options = parser(environment).parse_args([])
    assert (options.federation, options.run) == (Path("e.yaml"), Path("runs/1"))
    assert options.link_port == 17


def test_the_command_line_goes_before_the_environment() -> None:
    options = parser({"FES_LINK_PORT": "17"}).parse_args([*GIVEN, "--link-port", "18"])
    assert options.link_port == 18


def test_an_empty_variable_is_none() -> None:
    assert parser({"FES_LINK_PORT": ""}).parse_args(GIVEN).link_port == 0


@pytest.mark.parametrize(
    ("words", "environment", "told"),
    [
        ([], {}, "--federation"),
        ([*GIVEN, "--link-port", "x"], {}, "--link-port"),
        (GIVEN, {"FES_LINK_PORT": "70000"}, "--link-port"),
        ([*GIVEN, "--nothing"], {}, "--nothing"),
        ([*GIVEN, "--link", "1"], {}, "--link"),
    ],
)
def test_a_bad_option_ends_with_status_2_and_one_line(
    words: list[str],
    environment: dict[str, str],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser(environment).parse_args(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert said.startswith("part: ")
    assert told in said
