"""The example in the documentation runs as printed."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[3] / "libs/eventservices/docs/cosmic.md"


def test_the_example_prints_the_speed() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], capture_output=True, timeout=60, check=False
    )
    assert (ran.stderr, ran.stdout) == (b"", b"83 km/h, event 1 of engine/Speed\n")
