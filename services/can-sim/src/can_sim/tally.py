"""What every reader counts: records read, records left out by reason, the first place of each."""

from collections import Counter

from can_sim.errors import InputError

MAX_NOTES = 20
"""Most notes that are kept in words; what comes later is only counted."""
READ_ALL_THE_SAME = frozenset(
    (
        "date_without_zone",
        "differences",
        "dbc_bad_part",
        "gap",
        "nul_bytes",
        "out_of_order",
        "short_fraction",
        "week_rollover",
    )
)
"""Reasons of what was odd and read nevertheless: no record is lost with them."""
EXPLAINED = 5
"""Most reasons that an error explains."""


class Tally:
    """Counts what readers accept and leave out, and remembers the first place of each reason.

    One tally serves all files of a command, so that its summary is the same whichever format a
    file has.

    Args:
        strict: Whether bad input ends the reading instead of being left out.

    Attributes:
        taken: Records that were read.
        skipped: What was left out, or was odd, by reason.
        first: Where each reason occurred first, in words.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.taken = 0
        self.skipped: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        self.notes: list[str] = []
        self.notes_lost = 0

    def take(self, count: int = 1) -> None:
        """Count records that were read."""
        self.taken += count

    def skip(self, reason: str, count: int = 1, place: str = "") -> None:
        """Count something that is left out as a matter of course, e.g. a remote frame.

        Args:
            reason: One word.
            count: How many.
            place: Where, in words; kept where it is the first of its reason.
        """
        self.skipped[reason] += count
        if place and reason not in self.first:
            self.first[reason] = place

    def drop(self, reason: str, place: str = "") -> None:
        """Count a record that was counted as read, and is left out after all."""
        self.taken -= 1
        self.skip(reason, place=place)

    def bad(self, reason: str, error: InputError) -> None:
        """Count bad input and note its place.

        Raises:
            InputError: `error` itself, where the tally is strict.
        """
        if self.strict:
            raise error
        self.skip(reason, place=str(error))
        self.note(str(error))

    def note(self, text: str) -> None:
        """Remember a sentence for the reader of the result, up to `MAX_NOTES`."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)
        else:
            self.notes_lost += 1

    @property
    def left_out(self) -> int:
        """How many records were left out, for whatever reason."""
        return sum(n for reason, n in self.skipped.items() if reason not in READ_ALL_THE_SAME)

    def summary(self) -> dict[str, object]:
        """Return the counts and notes as every command prints them."""
        lost = [f"{self.notes_lost} more"] if self.notes_lost else []
        counts = sorted(self.skipped.items())
        return {
            "taken": self.taken,
            "skipped": {reason: n for reason, n in counts if reason not in READ_ALL_THE_SAME},
            "noticed": {reason: n for reason, n in counts if reason in READ_ALL_THE_SAME},
            "first": dict(sorted(self.first.items())),
            "notes": [*self.notes, *lost],
        }

    def explain(self) -> str:
        """Return in one line what was left out, for the error of a command with nothing left."""
        if not self.skipped:
            return "nothing was left out"
        told = []
        for reason, count in self.skipped.most_common(EXPLAINED):
            place = self.first.get(reason)
            told.append(f"{count} {reason}" + (f" (first: {place})" if place else ""))
        more = len(self.skipped) - len(told)
        return "left out: " + ", ".join(told) + (f" and {more} more reasons" if more > 0 else "")
