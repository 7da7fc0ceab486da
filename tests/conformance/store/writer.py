"""A process that appends batches.

Arguments: place, its own name, how many (0: until it is killed), bytes of each.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from conformance.store.places import append_anyhow, place_of
from fes_gateway.store import Entry

ENTRIES = 3
"""In a batch."""


def batch_of(writer: str, number: int, size: int = 0) -> list[Entry]:
    """Return a writer's batch: entries that belong together."""
    value = b"%d " % number + bytes(size // ENTRIES)
    return [Entry(f"{writer}/{at}", value) for at in range(ENTRIES)]


def main() -> None:
    """Append."""
    text, writer, count, size = sys.argv[1:]
    journal = place_of(text).open()
    position, number = 0, 0
    while number < int(count) or not int(count):
        number += 1
        position = append_anyhow(journal, batch_of(writer, number, int(size)), position)
    journal.close()


if __name__ == "__main__":
    main()
