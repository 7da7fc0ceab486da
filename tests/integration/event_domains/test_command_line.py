"""`fes domains` does what the REST interface does, and reports in one line what was refused."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from eventservices.servers import NatsServer
from fes.cli.main import main
from integration.event_domains.conftest import Service

pytestmark = pytest.mark.broker


Command = Callable[..., tuple[object, str, str]]


@pytest.fixture
def fes(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return what runs `fes domains` in this process: status, output, errors."""

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["fes", "domains", *arguments, "--url", service.url])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_a_domain_is_made_connected_shown_and_drawn(
    fes: Command, broker: NatsServer, tmp_path: Path
) -> None:
    assert fes("create", "--cycles", "authorize", "--diamonds", "forbid")[1] == "0\n"
    for number in range(3):
        assert fes("add", "0", broker.url, f"c{number}")[1] == f"{number}\n"
    for number, ends in enumerate((("0", "1"), ("1", "2"), ("1", "0"))):
        assert fes("connect", "0", *ends, "--style", "Pull")[1] == f"{number}\n"
    status, _, why = fes("connect", "0", "0", "2")
    assert status == 2
    assert why.startswith("fes domains: DiamondCreationForbidden: ")
    assert why.count("\n") == 1
    assert fes("cycles", "0")[1] == "0-1-0\n"
    fes("default", "0", "supplier", "1")
    assert '"default_supplier_channel": 1' in fes("show", "0")[1]
    drawing = tmp_path / "domain.svg"
    assert fes("show", "0", "--svg", str(drawing))[0] == 0
    assert drawing.read_text("utf-8").startswith("<svg")
    assert fes("remove", "0", "connection", "2")[0] == 0
    assert fes("cycles", "0")[1] == ""
    assert fes("destroy", "0")[0] == 0
    assert fes("list")[1] == ""
    status, _, why = fes("show", "9" * 4000)
    assert (status, why.count("\n")) == (2, 1)


def test_a_service_that_is_not_there_is_named(fes: Command, service: Service) -> None:
    service.kill()
    status, _, why = fes("list")
    assert status == 2
    assert service.url in why
