"""The board: what the judge said last, for whoever asks."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from analytics.live.interim_verdict import InterimVerdict


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on the board.

    Attributes:
        interim: The last interim verdict; None before the first one.
        page: The report that goes with it.
        batches: How many batches there were since the start.
        batch_s: How long the last took, seconds.
        busy_s: How long all took together.
        anew: How often another run took the place of the one before.
        waits_for: What keeps it from judging; empty while it judges.
        alive_s: When the judge gave a sign of life, by the clock of `time.monotonic`.
    """

    interim: InterimVerdict | None = None
    page: str = ""
    batches: int = 0
    batch_s: float = 0.0
    busy_s: float = 0.0
    anew: int = 0
    waits_for: str = "it has just been started"
    alive_s: float = 0.0


class Board:
    """Hands what the judge's thread says to the threads that ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shown = Shown(alive_s=time.monotonic())

    @property
    def shown(self) -> Shown:
        """What is on the board now; it never changes."""
        return self._shown

    def faults(self, patience_s: float) -> dict[str, str]:
        """Return what keeps the judge from being ready: part to reason.

        Args:
            patience_s: Without a sign of life for so long it counts as stuck.
        """
        shown = self._shown
        silent_s = time.monotonic() - shown.alive_s
        faults = {"run": shown.waits_for} if shown.waits_for else {}
        if silent_s > patience_s:
            faults["judge"] = f"gave no sign of life for {silent_s:.0f} s"
        return faults

    def tell(self, interim: InterimVerdict, page: str, took_s: float) -> None:
        """Show an interim verdict and the time that it took, seconds."""
        self._change(
            lambda shown: replace(
                shown,
                interim=interim,
                page=page,
                batches=shown.batches + 1,
                batch_s=took_s,
                busy_s=shown.busy_s + took_s,
                waits_for=interim.fault,
            )
        )

    def wait_for(self, reason: str) -> None:
        """Show what keeps the judge from judging."""
        self._change(lambda shown: replace(shown, waits_for=reason))

    def begin_anew(self) -> None:
        """Clear the verdict: another run is in the folder."""
        self._change(
            lambda shown: replace(
                shown, interim=None, page="", anew=shown.anew + 1, waits_for="another run began"
            )
        )

    def beat(self) -> None:
        """Show that the judge is alive."""
        self._change(lambda shown: shown)

    def _change(self, change: Callable[[Shown], Shown]) -> None:
        with self._lock:
            self._shown = replace(change(self._shown), alive_s=time.monotonic())
