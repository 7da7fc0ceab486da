"""What native clients of a scenario write down, for its judge."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TextIO


class Recorder:
    """Writes one line of JSON for each thing that a client did or received.

    Args:
        file: Accepts the lines.
        clock_s: Seconds.

    Attributes:
        lines: How many it wrote.
    """

    def __init__(self, file: TextIO, clock_s: Callable[[], float]) -> None:
        self._file = file
        self._clock_s = clock_s
        self.lines = 0

    @classmethod
    @contextmanager
    def opened(cls, path: Path, clock_s: Callable[[], float] = time.time) -> Iterator[Self]:
        """Begin a file again, empty; each line is in it at once."""
        with path.open("w", encoding="utf-8", buffering=1) as file:
            yield cls(file, clock_s)

    def note(self, what: str, client: str, **data: Any) -> None:
        """Write a line, with the time as `s`.

        Args:
            what: `published`, `received` or `refused`.
            client: That did.
            data: More of it; octets are left out.
        """
        shown = {key: value for key, value in data.items() if not isinstance(value, bytes)}
        line = {"s": self._clock_s(), "what": what, "client": client, **shown}
        print(json.dumps(line), file=self._file)
        self.lines += 1
