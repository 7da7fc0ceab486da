"""Progress for people, on standard error: a bar on a terminal, now and then a line elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

from can_sim.play import Played

LINE_EVERY_S = 10.0
BAR_EVERY_S = 0.2


@contextmanager
def shown(total: int) -> Iterator[Callable[[Played], None]]:
    """Show progress while the block runs.

    Args:
        total: Frames that will be due.

    Yields:
        What to call after every frame.
    """
    if not sys.stderr.isatty():
        yield _every(LINE_EVERY_S, lambda played: _print_line(played, total))
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("frames", total=total)
        yield _every(BAR_EVERY_S, lambda played: bar.update(task, completed=played.frames))


def _every(seconds: float, show: Callable[[Played], None]) -> Callable[[Played], None]:
    last = time.monotonic()

    def on_frame(played: Played) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            show(played)

    return on_frame


def _print_line(played: Played, total: int) -> None:
    unsent = sum(played.skipped.values())
    sys.stderr.write(f"can-sim: {played.frames} of {total} frames, {unsent} not sent\n")
