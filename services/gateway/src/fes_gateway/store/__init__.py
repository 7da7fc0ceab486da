"""The journal: what a gateway must not forget, in the order in which it was decided."""

from fes_gateway.store.journal import Entry, Journal, fold
from fes_gateway.store.memory import MemoryJournal
from fes_gateway.store.sqlite import SqliteJournal

__all__ = ["Entry", "Journal", "MemoryJournal", "SqliteJournal", "fold"]
