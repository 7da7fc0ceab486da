"""What reads requests from strangers is not older than the mends of its known faults."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LEAST = {
    "h11": (0, 16),
    "starlette": (0, 47, 2),
    "websockets": (10,),
    "nats-py": (2, 16),
    "httpcore": (1, 0, 9),
}
"""The oldest version without a fault that is known publicly."""


def pinned() -> dict[str, tuple[int, ...]]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    told = (line.partition("==") for line in lines if "==" in line)
    return {
        name.lower(): tuple(int(part) for part in version.split(".") if part.isdigit())
        for name, _, version in told
    }


@pytest.mark.parametrize("name", LEAST)
def test_what_reads_requests_of_strangers_is_new_enough(name: str) -> None:
    assert pinned()[name] >= LEAST[name]


def test_nothing_reads_forms() -> None:
    """A body in parts would be read and kept before anything asks who sent it."""
    assert not {"python-multipart", "multipart"} & set(pinned())


def test_nobody_keeps_state_in_a_key_value_bucket() -> None:
    """What is read of one may be stale; journals and streams are written by sequence number."""
    sources = [*ROOT.glob("libs/*/src/**/*.py"), *ROOT.glob("services/*/src/**/*.py")]
    assert len(sources) > 300
    words = (".key_value(", "create_key_value", "nats.js.kv")
    using = [str(path) for path in sources if any(word in path.read_text() for word in words)]
    assert using == []
