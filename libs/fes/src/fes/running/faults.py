"""Faults: parts that are not ready, since when and why."""

import time
from collections.abc import Callable, Mapping
from typing import Final

NOTICE_S = 10.0
"""How long a part may need to start before it is reported as not ready, and between two reports."""

MOST_REPORTS: Final = 3
"""How often a part is reported until it is ready: again only where the reason is another one."""


class Faults:
    """Keeps the parts that are not ready, and reports each change.

    Args:
        say: Prints a line.
        clock_s: A clock that only goes forward, seconds.
    """

    def __init__(
        self, say: Callable[[str], None], clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._clock_s = clock_s
        self._looked_s = clock_s()
        self._since_s: dict[str, float] = {}
        self._reports: dict[str, list[str]] = {}
        self._reported_s: dict[str, float] = {}
        self._logs: Mapping[str, str] = {}
        self.reasons: dict[str, str] = {}

    def put(self, reasons: Mapping[str, str], logs: Mapping[str, str]) -> None:
        """Set the parts that are not ready now.

        Args:
            reasons: Reason by part.
            logs: Log with details by part.
        """
        now_s = self._clock_s()
        for part in self.reasons.keys() - reasons.keys():
            if self._reports.pop(part, None):
                self._say(f"ready: {part}, after {now_s - self._since_s[part]:.0f} s")
            self._since_s.pop(part, None)
            self._reported_s.pop(part, None)
        self.reasons, self._logs = dict(reasons), logs
        before_s, self._looked_s = self._looked_s, now_s
        for part, why in reasons.items():
            since_s = self._since_s.setdefault(part, before_s)
            reports = self._reports.get(part, [])
            last_s = self._reported_s.get(part, since_s)
            is_news = one_line(why) not in reports and len(reports) < MOST_REPORTS
            if is_news and now_s - last_s >= NOTICE_S:
                self._reports[part], self._reported_s[part] = [*reports, one_line(why)], now_s
                for_s = f"{now_s - since_s:.0f} s"
                line = f"{part}, for {for_s}: {one_line(why)}{self._see(part)}"
                self._say(f"not ready: {line}; it is tried again")

    def summary(self, most: int = 3) -> str:
        """Return the first parts that are not ready.

        For how long, why, and the log with details.
        """
        now_s = self._clock_s()
        shown = [
            f"{part}, for {now_s - self._since_s.get(part, now_s):.0f} s: {one_line(why)}"
            f"{self._see(part)}"
            for part, why in list(self.reasons.items())[:most]
        ]
        more = len(self.reasons) - len(shown)
        return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")

    def _see(self, part: str) -> str:
        log = self._logs.get(part, "")
        return f"; see {log}" if log else ""


def one_line(text: str, most: int = 200) -> str:
    """Return a text as one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
