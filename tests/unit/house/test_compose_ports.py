"""Addresses of the stack: each stays by default; an override gives gateways ranges to be scaled."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PUBLISHED = re.compile(r"127\.0\.0\.1:\$\{(\w+):-([\d-]+)\}:\d+")


def published(file: str = "docker-compose.yml") -> dict[str, range]:
    """Return the ports of the host by setting, as a file has them by default."""
    found = PUBLISHED.findall((ROOT / file).read_text("utf-8"))
    return {name: ports(text) for name, text in found}


def ports(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def test_every_address_stays_by_default() -> None:
    assert {len(each) for each in published().values()} == {1}
    assert {"G1_PORT", "G2_PORT", "G3_PORT"} < set(published())


def test_with_an_override_a_gateway_may_have_several_replicas() -> None:
    ranges = published("compose/replicas.yml")
    assert set(ranges) == {"G1_PORTS", "G2_PORTS", "G3_PORTS"}
    assert all(len(each) >= 3 for each in ranges.values())


def test_no_two_parts_may_take_the_same_port() -> None:
    ranges = published("compose/replicas.yml")
    single = {name: each for name, each in published().items() if f"{name}S" not in ranges}
    every = [port for each in (*single.values(), *ranges.values()) for port in each]
    assert len(every) == len(set(every))


def test_the_example_of_settings_shows_these_defaults() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    shown = dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))
    defaults = {**published(), **published("compose/replicas.yml"), **published("compose/dev.yml")}
    assert {name: ports(shown[name]) for name in defaults} == defaults
