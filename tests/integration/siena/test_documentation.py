"""The examples in the documentation run as printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.siena.clients import Cluster

PAGES = Path(__file__).parents[3] / "libs/eventservices/docs"


@pytest.mark.parametrize("page", ["siena.md", "siena-observing.md"])
def test_the_example_prints_what_the_page_says(cluster: Cluster, page: str) -> None:
    text = (PAGES / page).read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (promise,) = re.findall(r"(?i)it prints (`.*)", text)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", example, *cluster.urls],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.stderr, ran.stdout.decode().splitlines()) == (b"", re.findall("`(.*?)`", promise))
