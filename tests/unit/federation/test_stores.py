"""Where gateways keep their journals, as the file says it."""

from pathlib import Path

import pytest
from fes.errors import FederationError
from fes.federation import InvalidFederationError, dump, loads
from fes.federation.address import store_addresses
from fes.federation.model import Store

TEXT = """\
version: 1
system: s
event_services:
  a: {kind: memory}
gateways:
  g:
    adapters: {a: {}}
    store: STORE
"""


def store(text: str) -> Store:
    return loads(TEXT.replace("STORE", text), {}, file="f").gateways["g"].store


def test_a_gateway_keeps_a_file_unless_it_is_told_otherwise() -> None:
    silent = loads(TEXT.replace("    store: STORE\n", ""), {})
    assert silent.gateways["g"].store == Store() == store("{kind: sqlite}") == store("{}")


def test_a_stream_is_told_by_its_servers() -> None:
    told = store("{kind: jetstream, url: 'nats://a:4222, tls://b:4222,nats://c', copies: 3}")
    assert told.urls == ("nats://a:4222", "tls://b:4222", "nats://c")
    assert told.copies == 3


def test_a_store_is_written_back_as_it_was() -> None:
    text = "{kind: jetstream, url: 'nats://a', user: me, password_file: /secret, copies: 3}"
    for each in ("{kind: sqlite}", text):
        federation = loads(TEXT.replace("STORE", each), {})
        assert loads(dump(federation), {}) == federation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{kind: redis}", "f:8:19: gateways.g.store.kind: expected sqlite or jetstream, found"),
        ("{kin: sqlite}", "f:8:13: gateways.g.store.kin: unknown key; did you mean 'kind'?"),
        ("sqlite", "gateways.g.store: expected a mapping, found 'sqlite'"),
        (
            "{kind: jetstream}",
            "f:8:5: gateways.g.store: key 'url' is missing, which kind jetstream needs",
        ),
        ("{url: 'nats://a'}", "f:8:18: gateways.g.store.url: it belongs to kind jetstream"),
        ("{copies: 3}", "f:8:21: gateways.g.store.copies: it belongs to kind jetstream"),
        ("{user: me}", "gateways.g.store.user: it belongs to kind jetstream"),
        ("{password_file: /x}", "gateways.g.store.password_file: it belongs to kind jetstream"),
        (
            "{kind: jetstream, url: 'nats://a', copies: 2}",
            "f:8:55: gateways.g.store.copies: expected 1 or 3, found 2",
        ),
        (
            "{kind: jetstream, url: 'nats://a', password_file: /x}",
            "gateways.g.store.password_file: key 'user' is missing",
        ),
        (
            "{kind: jetstream, url: 'nats://a,nats://a'}",
            "f:8:35: gateways.g.store.url: a server is listed twice",
        ),
    ],
)
def test_a_store_that_cannot_be_is_told_with_its_place(text: str, expected: str) -> None:
    with pytest.raises(InvalidFederationError) as found:
        store(text)
    assert expected in str(found.value)


@pytest.mark.parametrize(
    "url", ["a:4222", "http://a", "nats://", "nats://a:x", "nats://a:0", "nats://a,", "nats://a/x"]
)
def test_an_address_that_is_none_is_told_with_its_place(url: str) -> None:
    with pytest.raises(InvalidFederationError, match=r"f:8:35: .*expected nats://host:port"):
        store(f"{{kind: jetstream, url: '{url}'}}")


def test_a_password_in_a_wrong_address_is_not_told() -> None:
    with pytest.raises(InvalidFederationError) as found:
        store("{kind: jetstream, url: 'nats://me:secret@a/x'}")
    assert "secret" not in str(found.value)


def test_all_servers_are_told_the_password_that_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("p@ss\n")
    text = f"{{kind: jetstream, url: 'nats://a,nats://b', user: me, password_file: {file}}}"
    federation = loads(TEXT.replace("STORE", text), {})

    assert store_addresses(federation, "g") == ("nats://me:p%40ss@a", "nats://me:p%40ss@b")
    file.unlink()
    with pytest.raises(FederationError, match=r"gateways\.g\.store\.password_file.*secret"):
        store_addresses(federation, "g")
