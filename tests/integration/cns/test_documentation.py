"""The examples on the pages run, and print what the pages say."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from eventservices.servers import NatsServer

pytestmark = pytest.mark.broker

PAGES = Path(__file__).parents[3] / "libs/eventservices/docs"
SHORT = 10

EXAMPLES = [
    ("cns.md", 0, ["link down"]),
    (
        "cns.md",
        1,
        [
            "suppliers may send [('Traffic', 'Speed')]",
            "FES0001 drives at 83.0 (FES0001/1)",
        ],
    ),
    (
        "cns-qos.md",
        0,
        ["50000000", "OrderPolicy: BAD_VALUE (allowed: 0 .. 3); StartTime: UNSUPPORTED_PROPERTY"],
    ),
    ("cns-persistent.md", 0, ["[]", "[0, 1]", "[2]"]),
]


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize(("page", "number", "expected"), EXAMPLES)
async def test_the_example_on_the_page_runs(
    store_server: NatsServer, page: str, number: int, expected: list[str]
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", examples(page)[number], store_server.url,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()

    assert process.returncode == 0, err.decode()
    assert out.decode().splitlines() == expected


def test_every_example_is_run() -> None:
    for page in {page for page, _, _ in EXAMPLES}:
        run = {number for name, number, _ in EXAMPLES if name == page}
        assert run == set(range(len(examples(page))))


def test_the_first_example_takes_ten_lines() -> None:
    lines = [line for line in examples("cns.md")[0].splitlines() if line.strip()]
    body = [line for line in lines if not line.startswith(("import", "from", "asyncio.run"))]

    assert len(body) <= SHORT
