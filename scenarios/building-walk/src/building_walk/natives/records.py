"""What native clients write down: what they published, received, and were refused."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TextIO

from building_walk.story import RECORDS


class Recorder:
    """Writes one line for each thing that a client did or received.

    Attributes:
        lines: How many it wrote.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.lines = 0

    @classmethod
    @contextmanager
    def opened(cls, run: Path) -> Iterator[Self]:
        """Begin the file of a run, empty."""
        with (run / RECORDS).open("w", encoding="utf-8", buffering=1) as file:
            yield cls(file)

    def note(self, what: str, client: str, event: str, **data: Any) -> None:
        """Write a line.

        Args:
            what: `published`, `received` or `refused`.
            client: That did.
            event: Its name.
            data: More of it; octets are left out.
        """
        shown = {key: value for key, value in data.items() if not isinstance(value, bytes)}
        line = {"s": time.time(), "what": what, "client": client, "event": event, **shown}
        print(json.dumps(line), file=self._file)
        self.lines += 1
