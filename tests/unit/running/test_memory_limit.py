"""A process of gateways starts only where it has the memory that its bounds add up to."""

from dataclasses import replace
from pathlib import Path

import pytest
from fes.errors import FederationError
from fes.federation.bounds import MIB
from fes.federation.load import load, loads
from fes.federation.model import Federation, adapter_id
from fes.gateway import GatewaySettings
from fes_gateway.memory import check_memory, most_of, most_of_gateway, size_of
from fes_gateway.pack import PackSettings

TEXT = """
version: 1
system: test
event_services:
  north: {kind: memory}
  south: {kind: memory}
gateways:
  g1: {adapters: {north: {}, south: {}}}
limits: {custody_bytes: %d}
"""


def alone(federation: Federation, name: str) -> PackSettings:
    """Return the settings of a container of one gateway, its adapters in others."""
    services = federation.gateways[name].adapters
    remote = frozenset(adapter_id(name, service) for service in services)
    return PackSettings(name, (name,), remote, Path())


def test_every_gateway_of_the_compose_file_fits_its_container() -> None:
    root = Path(__file__).parents[3]
    text = (root / "docker-compose.yml").read_text()
    assert "mem_limit: 150m" in text
    assert "FES_MEMORY_LIMIT: 150m" in text
    federation = load(root / "scenarios/traffic/federation.yaml", {})
    for name in federation.gateways:
        check_memory(federation, alone(federation, name), size_of("150m"))


def test_bounds_beyond_the_limit_are_told_before_anything_starts() -> None:
    federation = loads(TEXT % (64 * MIB), {})
    with pytest.raises(FederationError, match=r"limits: g1 may need 2\d\d MiB of memory, more"):
        check_memory(federation, alone(federation, "g1"), size_of("150m"))
    check_memory(federation, alone(federation, "g1"), 0)


def test_each_bound_counts_and_adapters_of_the_process_do_too() -> None:
    federation = loads(TEXT % (8 * MIB), {})
    remote = alone(federation, "g1")
    assert most_of(federation, replace(remote, remote=frozenset())) > most_of(federation, remote)
    settings = GatewaySettings.of(federation, "g1")
    before = sum(most_of_gateway(settings).values())
    for name in ("requests_bytes", "custody_bytes", "waiting_bytes", "announced_bytes", "marks"):
        more = replace(settings, **{name: 2 * getattr(settings, name)})
        assert sum(most_of_gateway(more).values()) > before


@pytest.mark.parametrize(
    ("text", "size"), [("150m", 150 * MIB), ("1G", 1024 * MIB), ("2kb", 2048), ("77", 77)]
)
def test_a_size_is_written_as_docker_does(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "m", "-5m", "5t", "1.5g"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        size_of(text)
