"""`fes domains` does what the REST interface does, and says in one line what was refused."""

import subprocess
import sys
from pathlib import Path

import pytest
from eventservices.servers import NatsServer
from integration.event_domains.conftest import Service

pytestmark = pytest.mark.broker


def fes(service: Service, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "fes.cli.main", "domains", *arguments, "--url", service.url]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_domain_is_made_connected_shown_and_drawn(
    service: Service, broker: NatsServer, tmp_path: Path
) -> None:
    assert fes(service, "create", "--cycles", "authorize", "--diamonds", "forbid")[1] == "0\n"
    for number in range(3):
        assert fes(service, "add", "0", broker.url, f"c{number}")[1] == f"{number}\n"
    for number, ends in enumerate((("0", "1"), ("1", "2"), ("1", "0"))):
        assert fes(service, "connect", "0", *ends, "--style", "Pull")[1] == f"{number}\n"
    status, _, why = fes(service, "connect", "0", "0", "2")
    assert status == 2
    assert why.startswith("fes domains: DiamondCreationForbidden: ")
    assert why.count("\n") == 1
    assert fes(service, "cycles", "0")[1] == "0-1-0\n"
    fes(service, "default", "0", "supplier", "1")
    assert '"default_supplier_channel": 1' in fes(service, "show", "0")[1]
    drawing = tmp_path / "domain.svg"
    assert fes(service, "show", "0", "--svg", str(drawing))[0] == 0
    assert drawing.read_text("utf-8").startswith("<svg")
    assert fes(service, "remove", "0", "connection", "2")[0] == 0
    assert fes(service, "cycles", "0")[1] == ""
    assert fes(service, "destroy", "0")[0] == 0
    assert fes(service, "list")[1] == ""


def test_a_service_that_is_not_there_is_named(service: Service) -> None:
    service.kill()
    status, _, why = fes(service, "list")
    assert status == 2
    assert service.url in why
