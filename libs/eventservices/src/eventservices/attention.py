"""Whether a client could hear the others lately: only then does their silence mean anything."""


class Attention:
    """Judges, round by round, the time since the round before.

    Args:
        period_s: Time between two rounds, seconds.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._last_s = float("-inf")
        self._ready = False

    def hears(self, now_s: float, *, ready: bool) -> bool:
        """Tell whether others were heard since the round before, if they said anything.

        A client that was away, or whose process was halted or busy for more than a period, must
        first read what has come meanwhile.

        Args:
            now_s: Monotonic time, seconds.
            ready: Whether the client is connected now.
        """
        attentive = ready and self._ready and now_s - self._last_s < 2 * self._period_s
        self._last_s, self._ready = now_s, ready
        return attentive
