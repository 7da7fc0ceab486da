"""An event log in memory."""

from fes.eventlog import Record


class MemoryLog:
    """Keeps every record.

    Attributes:
        records: In their order.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []

    def wants(self, identity: str) -> bool:
        """Return True: records about each event are kept."""
        del identity
        return True

    def write(self, record: Record) -> None:
        """Keep a record."""
        self.records.append(record)
