"""The journal: what a gateway must not forget, in the order in which it was decided."""

from fes_gateway.store.jetstream import JetStreamJournal, StreamSettings
from fes_gateway.store.journal import Entry, Journal, Tail, fold
from fes_gateway.store.memory import MemoryJournal, MemoryPlace
from fes_gateway.store.opening import open_journal
from fes_gateway.store.sqlite import SqliteJournal

__all__ = [
    "Entry",
    "JetStreamJournal",
    "Journal",
    "MemoryJournal",
    "MemoryPlace",
    "SqliteJournal",
    "StreamSettings",
    "Tail",
    "fold",
    "open_journal",
]
