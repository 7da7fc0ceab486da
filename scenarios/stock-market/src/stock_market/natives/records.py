"""What native clients write down: what they published and what they received."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TextIO

from stock_market.story import RECORDS


class Recorder:
    """Writes one line for each event that a client published or received."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.lines = 0

    @classmethod
    @contextmanager
    def opened(cls, run: Path) -> Iterator[Self]:
        """Begin the file of a run anew."""
        with (run / RECORDS).open("w", encoding="utf-8", buffering=1) as file:
            yield cls(file)

    def note(
        self,
        what: str,
        client: str,
        subject: str,
        data: Mapping[str, Any],
        session: str,
        now: float,
    ) -> None:
        """Write a line.

        Args:
            what: `published` or `received`.
            client: Event service of the client.
            subject: Of the event.
            data: Its parameters.
            session: That it carried.
            now: Seconds, by a clock that only goes forward.
        """
        line = {
            "what": what,
            "client": client,
            "subject": subject,
            "data": dict(data),
            "session": session,
            "s": now,
        }
        print(json.dumps(line), file=self._file)
        self.lines += 1
