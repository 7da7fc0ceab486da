"""Outages: when parts were down, as observed by the supervisor."""

import json
from pathlib import Path

from serving.clocks import wall_us


class Outages:
    """Writes `outages.jsonl`: one line for each part and outage.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: dict[str, tuple[int, str]] = {}
        path.touch()

    def began(self, names: tuple[str, ...], status: int) -> None:
        """Note that parts went down; for one that is down already the first moment counts.

        Args:
            names: Gateways, adapters or brokers.
            status: Exit status of their process; negative for a signal.
        """
        cause = f"signal {-status}" if status < 0 else f"exit status {status}"
        for name in names:
            self._open.setdefault(name, (wall_us(), cause))

    def ended(self, names: tuple[str, ...]) -> None:
        """Note that parts are back."""
        for name in names:
            found = self._open.pop(name, None)
            if found is not None:
                self._write(name, *found, wall_us())

    def close(self) -> None:
        """Note the parts that did not come back."""
        for name, found in self._open.items():
            self._write(name, *found, None)
        self._open.clear()

    def _write(self, part: str, from_us: int, cause: str, to_us: int | None) -> None:
        line = {
            "v": 1,
            "part": part,
            "from_us": from_us,
            "to_us": to_us,
            "cause": cause,
            "by": "supervisor",
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
