"""Addresses of brokers."""

from pathlib import Path

import pytest
from eventservices.secure import Access, split_access
from fes.cli.validate import examine_file
from fes.errors import FederationError
from fes.federation.address import address
from fes.federation.file.dump import dump
from fes.federation.load import examine, load, loads
from fes.running.plan import placeholders

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


SECURE = """
version: 1
system: s
brokers:
  house: {kind: mqtt, url: "mqtts://house", LOGIN}
event_services:
  a: {kind: mqtt, brokers: [house]}
gateways:
  g: {adapters: {a: {}}}
"""


def test_files_are_in_an_address_and_begin_at_the_folder_of_the_federation_file(
    tmp_path: Path,
) -> None:
    tls = "tls: {ca_file: certs/ca.pem, server_name: 'h&1'}"
    (tmp_path / "federation.yaml").write_text(SECURE.replace("LOGIN", tls))
    url = address(load(tmp_path / "federation.yaml", {}), "house")
    ca = tmp_path.resolve() / "certs/ca.pem"
    assert split_access(url) == ("mqtts://house", Access(str(ca), server_name="h&1"))


def test_a_password_of_the_environment_is_in_the_address_and_in_no_copy_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    federation = loads(SECURE.replace("LOGIN", "user: me, password_env: HOUSE_WORD"), {})
    with pytest.raises(FederationError, match=r"password_env: variable HOUSE_WORD is not set"):
        address(federation, "house")
    monkeypatch.setenv("HOUSE_WORD", "p@ss")
    assert address(federation, "house") == "mqtts://me:p%40ss@house"
    assert "p@ss" not in dump(federation)
    assert placeholders(federation, Path("/run"), Path("/base"))["url:house"] == "mqtts://house"


@pytest.mark.parametrize(
    ("login", "found"),
    [
        ("password_env: X", "house.password_env: key 'user' is missing: whose password"),
        ("user: u, password_env: X, password_file: y", "password_env: key 'password_file' is"),
        ("token_file: x", "brokers.house.token_file: it belongs to kind nats"),
        ("mechanism: PLAIN", "brokers.house.mechanism: it belongs to kind kafka"),
        ("tls: {key_file: x}", "brokers.house.tls: key_file needs certificate_file"),
        ("tls: {cafile: x}", "brokers.house.tls.cafile: unknown key"),
        ("url: 'mqtt://h', tls: {ca_file: x}", "tls: certificates belong to TLS: write mqtts://"),
        ("url: 'mqtts://h?ca_file=x'", "house.url: certificates are named by the key 'tls'"),
        ("tls: {verify: false}", "warning: brokers.house.tls.verify: whoever answers"),
    ],
)
def test_what_contradicts_itself_is_found_with_its_key(login: str, found: str) -> None:
    url = "" if "url:" in login else 'url: "mqtts://house", '
    text = SECURE.replace('url: "mqtts://house", LOGIN', url + login)
    findings = "\n".join(str(each) for each in examine(text, "f", {}).findings)
    assert found in findings


def test_validate_names_files_that_are_not_there_or_no_certificates(tmp_path: Path) -> None:
    path = tmp_path / "federation.yaml"
    (tmp_path / "ca.pem").write_text("no certificate")
    path.write_text(SECURE.replace("LOGIN", "user: u, password_file: w, tls: {ca_file: ca.pem}"))
    findings = "\n".join(str(each) for each in examine_file(path, {}))
    assert f"brokers.house.tls: ca_file {tmp_path.resolve()}/ca.pem: is not PEM" in findings
    assert "warning: brokers.house.password_file: there is no file" in findings
