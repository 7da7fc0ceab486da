"""Addresses of brokers."""

from pathlib import Path

import pytest
from fes.errors import FederationError
from fes.federation.address import address
from fes.federation.load import loads

TEXT = """
version: 1
system: s
brokers:
  open: {kind: nats, url: "nats://open:4222"}
  guarded: {kind: nats, url: "nats://guarded:4222", user: me, password_file: FILE}
  embedded: {kind: nats}
event_services:
  a: {kind: memory, brokers: [open]}
gateways:
  g: {adapters: {a: {}}}
"""


def test_a_broker_that_asks_for_nothing_is_told_nothing() -> None:
    assert address(loads(TEXT, {}), "open") == "nats://open:4222"


def test_a_guarded_broker_is_told_what_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("p@ss\n")
    federation = loads(TEXT.replace("FILE", str(file)), {})
    assert address(federation, "guarded") == "nats://me:p%40ss@guarded:4222"


def test_an_absent_password_file_is_told_with_its_key() -> None:
    federation = loads(TEXT.replace("FILE", "/nowhere/secret"), {})
    with pytest.raises(FederationError, match=r"brokers\.guarded\.password_file.*nowhere"):
        address(federation, "guarded")


def test_a_broker_without_a_url_is_told_by_name() -> None:
    with pytest.raises(FederationError, match=r"brokers\.embedded: has no url"):
        address(loads(TEXT, {}), "embedded")
