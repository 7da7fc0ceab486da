"""Servers that ask who somebody is: the store's own user needs the rights that the page tells."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.errors import StoreError
from fes_gateway.store import Entry
from integration.store.conftest import Open

pytestmark = pytest.mark.broker

RIGHTS = """
authorization {
  users: [
    {user: store, password: secret, permissions: {
      publish: ["fes.store.>", "$JS.API.>", "_INBOX.>"], subscribe: ["_INBOX.>"]
    }}
    {user: stranger, password: secret, permissions: {publish: "other", subscribe: ["_INBOX.>"]}}
  ]
}
"""


class Guarded(NatsServer):
    """A server that lets a store in, and a stranger who may do nothing there."""

    def _configuration(self) -> str:
        return super()._configuration() + RIGHTS

    def url_of(self, user: str, password: str) -> str:
        return f"nats://{user}:{password}@{self.host}:{self.port}"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    with Guarded(ServerSpec("guarded", tmp_path, jetstream=True)) as started:
        yield started


def test_the_rights_that_the_page_tells_are_enough(guarded: Guarded, open_at: Open) -> None:
    writer, reader = (
        open_at(guarded.url_of("store", "secret")),
        open_at(guarded.url_of("store", "secret")),
    )
    woken = threading.Event()
    reader.watch(woken.set)
    number = 0
    for at in range(20):
        number = writer.append([Entry(f"{at}", b"1")], number)

    assert len(reader.read().entries) == 20
    assert woken.wait(10)
    number = writer.append([Entry("large", bytes(900_000))], writer.snapshot())
    assert len(reader.read().entries) == 21


@pytest.mark.parametrize(("user", "password"), [("store", "wr0ng"), ("stranger", "secret")])
def test_who_may_not_is_told_so_and_no_password_is(
    guarded: Guarded, open_at: Open, user: str, password: str
) -> None:
    journal = open_at(guarded.url_of(user, password), patience_s=0.5)

    with pytest.raises(StoreError, match=str(guarded.port)) as told:
        journal.append([Entry("a", b"1")], 0)
    assert password not in str(told.value)
