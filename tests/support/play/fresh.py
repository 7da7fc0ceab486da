"""Which seeds nobody has played yet: each day has a million of its own."""

import os
from datetime import UTC, date, datetime

FIRST_DAY = date(2020, 1, 1)
A_DAY = 1_000_000

FRESH_SEEDS = int(os.environ.get("FES_FRESH_SEEDS", "2000"))
"""How many of them the tests play."""


def fresh_seed(today: date | None = None) -> int:
    """Return the first seed of a day: `FES_FRESH_FIRST` where that is set, today's without."""
    chosen = os.environ.get("FES_FRESH_FIRST")
    if chosen:
        return int(chosen)
    day = today or datetime.now(UTC).date()
    return (day - FIRST_DAY).days * A_DAY
