"""What was left out, counted by reason, with the first few told in words."""

from collections import Counter

from can_sim.errors import InputError

MAX_NOTES = 20
"""Most notes that are kept in words; what comes later is only counted."""


class Tally:
    """Counts what a reader skips and remembers the first few places.

    Args:
        strict: Whether bad input ends the reading instead of being skipped.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.skipped: Counter[str] = Counter()
        self.notes: list[str] = []
        self.notes_lost = 0

    def skip(self, reason: str, count: int = 1) -> None:
        """Count something that is left out as a matter of course, e.g. a remote frame."""
        self.skipped[reason] += count

    def bad(self, reason: str, error: InputError) -> None:
        """Count bad input and note its place.

        Raises:
            InputError: `error` itself, where the tally is strict.
        """
        if self.strict:
            raise error
        self.skipped[reason] += 1
        self.note(str(error))

    def note(self, text: str) -> None:
        """Remember a sentence for the reader of the result, up to `MAX_NOTES`."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)
        else:
            self.notes_lost += 1
