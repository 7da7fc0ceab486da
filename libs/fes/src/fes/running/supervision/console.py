"""The console of `fes run`: lines for people."""

from collections.abc import Callable
from typing import TextIO

from serving.output import OutputClosedError


class Console:
    """Prints lines.

    Args:
        out: Receives them.
        on_closed: Called when nobody reads them any more.
    """

    def __init__(self, out: TextIO, on_closed: Callable[[], None]) -> None:
        self._out = out
        self._on_closed = on_closed
        self._told: set[str] = set()

    def say(self, text: str) -> None:
        """Print a line."""
        try:
            self._out.write(f"fes run: {text}\n")
            self._out.flush()
        except (OSError, ValueError, OutputClosedError):
            self._on_closed()

    def say_once(self, about: str, text: str) -> None:
        """Print a line about a part, unless one was printed about it before."""
        if about not in self._told:
            self._told.add(about)
            self.say(text)

    def forget(self, about: str) -> None:
        """Allow `say_once` to print about a part again."""
        self._told.discard(about)
