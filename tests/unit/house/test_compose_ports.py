"""Every gateway of the stack can be scaled as it stands: each has a range of ports of its own."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PUBLISHED = re.compile(r"127\.0\.0\.1:\$\{(\w+):-([\d-]+)\}:\d+")


def published() -> dict[str, range]:
    """Return the ports of the host by setting, as docker-compose.yml has them by default."""
    found = PUBLISHED.findall((ROOT / "docker-compose.yml").read_text("utf-8"))
    return {name: ports(text) for name, text in found}


def ports(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def test_a_gateway_may_have_several_replicas_without_a_setting() -> None:
    gateways = {name: each for name, each in published().items() if name.endswith("_PORTS")}
    assert set(gateways) == {"G1_PORTS", "G2_PORTS", "G3_PORTS"}
    assert all(len(each) >= 3 for each in gateways.values())


def test_no_two_parts_may_take_the_same_port() -> None:
    every = [port for each in published().values() for port in each]
    assert len(every) == len(set(every))


def test_the_example_of_settings_shows_these_defaults() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    shown = dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))
    assert {name: ports(shown[name]) for name in published()} == published()
