import re
import subprocess
import sys
from pathlib import Path

import pytest
from eventservices.cns.etcl import InvalidConstraintError, parse

PAGE = Path(__file__).parents[4] / "libs/eventservices/docs/etcl.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_example_on_the_page_runs_and_prints_what_the_page_says() -> None:
    [example] = blocks("python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert f"It prints `{first}` and `{second}`." in PAGE.read_text("utf-8")


def test_the_error_on_the_page_is_the_one_that_is_raised() -> None:
    [shown] = blocks("text")
    with pytest.raises(InvalidConstraintError) as caught:
        parse("$rate >> 70")
    assert shown.rstrip("\n") == str(caught.value)
