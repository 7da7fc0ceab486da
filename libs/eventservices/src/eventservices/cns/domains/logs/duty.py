"""Whether a log is on duty at a time."""

from collections.abc import Sequence
from datetime import UTC, datetime

from eventservices.cns.domains.logs.attributes import Time24, TimeInterval, WeekMaskItem
from eventservices.cns.etcl.utc import EPOCH_TICKS

_TICKS_OF_S = 10_000_000


def on_duty(interval: TimeInterval, mask: Sequence[WeekMaskItem], now: int) -> bool:
    """Return whether a log is on duty.

    Args:
        interval: When it is at all; its start belongs to it, its stop does not.
        mask: When in a week, UTC.
        now: Ticks of 100 ns since 1582-10-15.
    """
    if now < interval.start or (interval.stop and now >= interval.stop):
        return False
    if not mask:
        return True
    moment = datetime.fromtimestamp((now - EPOCH_TICKS) / _TICKS_OF_S, UTC)
    day = 1 << (moment.isoweekday() % 7)
    time = Time24(moment.hour, moment.minute)
    return any(
        item.days & day
        and (not item.intervals or any(part.start <= time <= part.stop for part in item.intervals))
        for item in mask
    )
