"""Gaps in a trace, with the line after each."""

from can_sim.sample import Gap, Sample

MAX_GAP_US = 3600 * 1_000_000
"""Longest time between two samples of a vehicle that is treated as a drive."""
MAX_GAPS = 1_000
"""Most gaps whose line is kept; of others only the time is known."""


class Gaps:
    """Watches the samples of a file in the file's order.

    Args:
        file: Its name.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[Gap, str] = {}
        self._last: dict[str, int] = {}

    def see(self, sample: Sample, line: int) -> None:
        """Note a sample and its line."""
        last = self._last.get(sample.vehicle)
        self._last[sample.vehicle] = sample.time_us
        far = last is not None and abs(sample.time_us - last) > MAX_GAP_US
        if far and len(self.found) < MAX_GAPS:
            self.found[sample.vehicle, sample.time_us] = f"{self.file}:{line}"
