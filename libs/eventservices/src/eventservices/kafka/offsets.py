"""Offsets to commit: records may be answered in any order, but offsets only grow."""


class Offsets:
    """Computes the offset to commit of one partition.

    Attributes:
        position: First offset that is not done.
    """

    def __init__(self) -> None:
        self.position = -1
        self._open: dict[int, None] = {}
        self._last = -1

    def delivered(self, offset: int) -> None:
        """Note a record that was delivered to the gateway; offsets grow."""
        if not self._open:
            self.position = offset
        self._open[offset] = None
        self._last = offset

    def done(self, offset: int) -> int:
        """Note a record that the gateway answered; return the position, which never decreases."""
        self._open.pop(offset, None)
        self.position = next(iter(self._open), self._last + 1)
        return self.position
