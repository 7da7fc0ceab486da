"""The journal that the federation's file says."""

from pathlib import Path

import pytest
from fes.errors import StoreError
from fes.federation import loads
from fes_gateway.store import Entry, JetStreamJournal, SqliteJournal, open_journal
from fes_gateway.store.jetstream import stream_name

TEXT = """\
version: 1
system: s
event_services: {a: {kind: memory}, b: {kind: memory}}
gateways:
  g: {adapters: {a: {}}, store: {kind: jetstream, url: "nats://me:pw@127.0.0.1:1", copies: 3}}
  h/../../x: {adapters: {b: {}}}
"""


def test_a_file_lies_below_the_folder_of_the_run_whatever_the_gateway_is_called(
    tmp_path: Path,
) -> None:
    journal = open_journal(loads(TEXT, {}), "h/../../x", tmp_path / "run")
    replica = open_journal(loads(TEXT, {}), "h/../../x", tmp_path / "run")

    assert isinstance(journal, SqliteJournal)
    assert journal.path.parent == tmp_path / "run" / "store"
    journal.append([Entry("a", b"1")], 0)
    assert replica.read().entries == (Entry("a", b"1"),)
    journal.close()
    replica.close()


def test_a_stream_is_named_by_federation_and_gateway(tmp_path: Path) -> None:
    journal = open_journal(loads(TEXT, {}), "g", tmp_path)

    assert isinstance(journal, JetStreamJournal)
    assert journal.settings.name == stream_name("s", "g")
    assert journal.settings.copies == 3
    assert journal.settings.place == f"nats://127.0.0.1:1: stream {stream_name('s', 'g')}"
    journal.close()
    with pytest.raises(StoreError, match="closed"):
        journal.read()


def test_streams_of_different_gateways_have_different_names() -> None:
    pairs = [
        ("a", "b"),
        ("a-b", ""),
        ("", "a-b"),
        ("a", "B"),
        ("a.", "b"),
        ("a", ".b"),
        ("é", "*>"),
    ]
    names = {stream_name(*pair) for pair in pairs}

    assert len(names) == len(pairs)
    assert all(name.isascii() and not set(name) & set(". *>/\\") for name in names)
    assert all(len(stream_name("x" * 128, "y" * 128)) < 100 for _ in names)
