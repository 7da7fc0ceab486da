"""Every example of the library's README runs as it stands, and prints what the page says."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.broker

PAGE = (Path(__file__).parents[3] / "libs/eventservices/README.md").read_text("utf-8")
EXAMPLES: dict[str, tuple[str, str]] = {
    name: (code, promise)
    for name, code, promise in re.findall(
        r"^## (\w+)\n\n```python\n(.*?)```\n\nIt prints `(.*?)`\.$", PAGE, re.DOTALL | re.MULTILINE
    )
}
LINES = 10


def test_there_is_one_for_each_event_service_and_no_other() -> None:
    assert list(EXAMPLES) == ["CNS", "SIENA", "STEAM", "COSMIC"]
    assert PAGE.count("```python") == len(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
async def test_it_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    code, promise = EXAMPLES[name]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", code, cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()

    assert (err.decode(), out.decode()) == ("", f"{promise}\n")


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_client_takes_ten_lines(name: str) -> None:
    """That is what `main` has in it; around it a broker is started."""
    code, _ = EXAMPLES[name]
    main = code.partition("async def main")[2].partition("\n\n\n")[0]
    body = re.findall(r"^    +\S.*$", main, re.MULTILINE)
    assert 0 < len(body) <= LINES
