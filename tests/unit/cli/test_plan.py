"""Which processes a run has, where gateways have replicas or stand apart."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest
from fes.cli.run import MOST_REPLICAS, _replicas
from fes.errors import FederationError
from fes.federation.load import loads
from fes.running.plan import Apart, Part, adapter_parts, gateway_parts

TEXT = """
version: 1
system: t
event_services: {a: {kind: memory}, b: {kind: memory}}
gateways: {g: {adapters: {a: {}, b: {}}}, h: {adapters: {b: {}}}}
"""
WHERE = (Path("file"), Path("base"), Path("run"), Path("clock"))


def option(part: Part, name: str) -> str:
    return part.command[part.command.index(name) + 1]


def test_a_gateway_with_replicas_has_as_many_processes_and_its_adapters_one_each() -> None:
    federation = loads(TEXT, {})
    apart = Apart.of(federation, (), {"g": 3})
    parts = gateway_parts(federation, apart, *WHERE)
    assert [(part.name, part.gateways) for part in parts] == [
        *((f"g-r{number}", ("g",)) for number in (1, 2, 3)),
        ("gateways-memory", ("h",)),
    ]
    replicas = parts[:3]
    assert [option(part, "--replica") for part in replicas] == ["r1", "r2", "r3"]
    assert {option(part, "--process") for part in replicas} == {"g"}
    assert {option(part, "--remote") for part in parts} == {"g.a,g.b"}
    assert {option(part, "--clock") for part in parts} == {"clock"}
    adapters = adapter_parts(federation, apart, {"g": "ws://1,ws://2", "h": ""}, *WHERE)
    assert [(part.name, option(part, "--link")) for part in adapters] == [
        ("g.a", "ws://1,ws://2"),
        ("g.b", "ws://1,ws://2"),
    ]


@pytest.mark.parametrize(
    ("own", "replicas", "told"),
    [((), {"x": 2}, "--replicas x: no such gateway"), (("x",), {}, "--own-process x")],
)
def test_a_name_that_is_not_there_is_told(
    own: tuple[str, ...], replicas: dict[str, int], told: str
) -> None:
    with pytest.raises(FederationError, match=told):
        Apart.of(loads(TEXT, {}), own, replicas)


def test_how_many_replicas_stands_behind_the_gateway() -> None:
    assert _replicas("g2=3") == ("g2", 3)
    assert _replicas(f"g2={MOST_REPLICAS}") == ("g2", MOST_REPLICAS)


@pytest.mark.parametrize("text", ["g2", "g2=", "=3", "g2=1", "g2=17", "g2=three", "g2=-3", "g2=²"])
def test_a_number_of_replicas_that_cannot_be_is_told(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not GATEWAY=N with N from 2 to 16"):
        _replicas(text)
