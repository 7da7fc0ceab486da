"""The example in the documentation runs as printed."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[3] / "libs/eventservices/docs/siena.md"


def test_the_example_prints_what_the_page_says() -> None:
    page = PAGE.read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (promised,) = re.findall(r"It prints `(.*?)`", page)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], capture_output=True, timeout=60, check=False
    )
    assert (ran.stderr, ran.stdout.decode().strip()) == (b"", promised)
