"""Long turns of the event loop, listed at the end of a run."""

import pytest

SHOWN = 40


def show_long_turns(reporter: pytest.TerminalReporter) -> None:
    """List the turns that tests noted with `FES_BLOCKING=1`, the longest first."""
    # Reports of tear-downs that passed have no name of an outcome.
    lines = [
        str(value)
        for outcome in ("", "failed")
        for report in reporter.stats.get(outcome, [])
        if isinstance(report, pytest.TestReport) and report.when == "teardown"
        for name, value in report.user_properties
        if name == "long turn"
    ]
    if lines:
        reporter.section("long turns of the event loop")
        for line in sorted(lines, key=lambda line: -float(line.split()[0]))[:SHOWN]:
            reporter.write_line(line)
        reporter.write_line(f"{len(lines)} in all")
