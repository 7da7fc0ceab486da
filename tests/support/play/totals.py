"""What was simulated, told at the end of a run."""

from collections import Counter

import pytest
from support.house.totals import show_long_turns


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many federations were played, and how many faults of each kind were injected."""
    show_long_turns(terminalreporter)
    counts: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    fresh: list[int] = []
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in report.user_properties:
                if name == "faults":
                    faults.update(value)
                elif name == "fresh":
                    fresh += value
                elif isinstance(value, int):
                    counts[name] += value
    if not faults:
        return
    terminalreporter.section("simulated")
    terminalreporter.write_line(", ".join(f"{count} {name}" for name, count in counts.items()))
    if fresh:
        terminalreporter.write_line(
            f"seeds that nobody has played: {min(fresh)} to {max(fresh)}; "
            f"again with FES_FRESH_FIRST={min(fresh)}"
        )
    for name, count in sorted(faults.items()):
        terminalreporter.write_line(f"{count:8} {name}")
