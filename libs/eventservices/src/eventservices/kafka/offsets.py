"""Offsets to commit: records may be answered in any order, but offsets only grow."""


class Offsets:
    """Computes the offset to commit of one partition."""

    def __init__(self) -> None:
        self._open: dict[int, None] = {}
        self._last = -1

    def delivered(self, offset: int) -> None:
        """Note a record that was delivered to the gateway; offsets grow."""
        self._open[offset] = None
        self._last = offset

    def done(self, offset: int) -> int:
        """Note a record that the gateway answered; return the first offset that is not done.

        It never decreases.
        """
        self._open.pop(offset, None)
        return next(iter(self._open), self._last + 1)
