"""The attributes and states of a log, and what follows when one changes."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from eventservices.cns.calls import call_client
from eventservices.cns.domains.logs.attributes import (
    LogAttributes,
    LogFullAction,
    TimeInterval,
    WeekMaskItem,
    checked_action,
    checked_interval,
    checked_mask,
    checked_qos,
    checked_thresholds,
)
from eventservices.cns.domains.logs.duty import on_duty
from eventservices.cns.domains.logs.errors import (
    InvalidParamError,
    LogDisabledError,
    LogLockedError,
    LogOffDutyError,
)
from eventservices.cns.domains.logs.own_events import (
    AttributeType,
    Severity,
    StateType,
    attribute_change,
    state_change,
    threshold_alarm,
)
from eventservices.cns.domains.logs.store import LogStore
from eventservices.cns.etcl import Filter
from eventservices.cns.event import StructuredEvent
from eventservices.cns.value import Value
from eventservices.slices import shared_slice

_TICKS_OF_S = 10_000_000

MOST_OWN_EVENTS: Final = 1000
"""Own events that a log remembers."""

MOST_PURGED: Final = 512
"""Most records whose life is over that one call removes."""

MOST_REMOVED: Final = 512
"""Most records that are removed for an event before others have their turn."""

Row = tuple[int, bytes, bytes, int]


@dataclass(frozen=True, slots=True)
class AvailabilityStatus:
    """Why records may not be written.

    Attributes:
        off_duty: It is outside its interval or its week mask.
        log_full: It halts and was full.
    """

    off_duty: bool
    log_full: bool


class LogSettings:
    """The settings of a log; each change is kept, and reported in an event of the log's own.

    Args:
        log_id: Its identifier.
        store: Its records and settings.
        clock: Ticks of 100 ns since 1582-10-15 UTC.

    Attributes:
        id: Its identifier.
        own_events: The last events that it generated about itself.
        on_own_event: Called with each of them.
    """

    def __init__(self, log_id: int, store: LogStore, clock: Callable[[], int]) -> None:
        self.id = log_id
        self.own_events: deque[StructuredEvent] = deque(maxlen=MOST_OWN_EVENTS)
        self.on_own_event: Callable[[StructuredEvent], None] | None = None
        self._store = store
        self._clock = clock
        self._attributes = store.attributes() or LogAttributes()
        self._disabled = False
        self._full = False
        self._filter: Filter | None = _filter_of(self._attributes.constraint)
        self._crossed = self._above()

    @property
    def attributes(self) -> LogAttributes:
        """Its settings."""
        return self._attributes

    @property
    def current_size(self) -> int:
        """Octets of all records."""
        return self._store.current_size

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self._store.n_records

    @property
    def enabled(self) -> bool:
        """Its operational state."""
        return not self._disabled

    @property
    def forwarding(self) -> bool:
        """Its forwarding state."""
        return self._attributes.forwarding

    @property
    def availability_status(self) -> AvailabilityStatus:
        """Why records may not be written."""
        settings = self._attributes
        duty = on_duty(settings.interval, settings.week_mask, self._clock())
        return AvailabilityStatus(off_duty=not duty, log_full=self._full)

    def set_max_size(self, octets: int) -> None:
        """Set how many octets the log may have; 0 for no bound.

        Raises:
            InvalidParamError: It is smaller than what there is, or no size.
        """
        if not 0 <= octets < 2**63 or 0 < octets < self.current_size:
            raise InvalidParamError(f"{octets} is less than the {self.current_size} octets used")
        old = self._attributes.max_size
        self._change(AttributeType.MAX_LOG_SIZE, old, octets, max_size=octets)
        self._full = False
        self._watch_size()

    def set_log_full_action(self, action: int) -> None:
        """Set whether a full log wraps, 0, or halts, 1.

        Raises:
            InvalidLogFullActionError: It is neither.
        """
        new, old = checked_action(action), self._attributes.full_action
        self._change(AttributeType.LOG_FULL_ACTION, int(old), int(new), full_action=new)

    def set_max_record_life(self, seconds: int) -> None:
        """Set the life of records, after which they are removed; 0 for no end.

        Raises:
            InvalidParamError: It is negative or too long.
        """
        if not 0 <= seconds < 2**32:
            raise InvalidParamError(f"{seconds} is not a life of a record")
        old = self._attributes.max_record_life_s
        self._change(AttributeType.MAX_RECORD_LIFE, old, seconds, max_record_life_s=seconds)

    def set_interval(self, interval: TimeInterval) -> None:
        """Set from when to when the log is on duty at all; errors as of `checked_interval`."""
        new, old = checked_interval(interval), self._attributes.interval
        self._replace(interval=new)
        now = self._clock()
        for kind, was, now_is in (
            (AttributeType.START_TIME, old.start, new.start),
            (AttributeType.STOP_TIME, old.stop, new.stop),
        ):
            if was != now_is:
                self._report(attribute_change(self.id, now, kind, was, now_is))

    def set_week_mask(self, mask: Sequence[WeekMaskItem]) -> None:
        """Set in which parts of a week the log is on duty; errors as of `checked_mask`."""
        new, old = checked_mask(mask), self._attributes.week_mask
        values = [msgspec.json.encode(each).decode() for each in (old, new)]
        self._change(AttributeType.WEEK_MASK, values[0], values[1], week_mask=new)

    def set_capacity_alarm_thresholds(self, thresholds: Sequence[int]) -> None:
        """Set at which sizes, per cent, the log reports; errors as of `checked_thresholds`."""
        new, old = checked_thresholds(thresholds), self._attributes.thresholds
        kind = AttributeType.CAPACITY_ALARM_THRESHOLD
        self._change(kind, list(old), list(new), thresholds=new)
        self._crossed &= set(new)
        self._watch_size()

    def set_log_qos(self, qos: int) -> None:
        """Set how safe a record is when its write returns.

        Raises:
            UnsupportedLogQoSError: It is none of `LogQoS`.
        """
        new, old = checked_qos(qos), self._attributes.qos
        self._change(AttributeType.QUALITY_OF_SERVICE, int(old), int(new), qos=new)

    def set_administrative_state(self, *, locked: bool) -> None:
        """Lock the log, or unlock it."""
        if self._replace(locked=locked):
            kind = StateType.ADMINISTRATIVE
            self._report(state_change(self.id, self._clock(), kind, int(not locked)))

    def set_forwarding_state(self, *, forwarding: bool) -> None:
        """Set whether connections that begin at the log move its events."""
        if self._replace(forwarding=forwarding):
            kind = StateType.FORWARDING
            self._report(state_change(self.id, self._clock(), kind, int(forwarding)))

    def _change_filter(self, constraint: str) -> None:
        old = self._attributes.constraint
        self._change(AttributeType.FILTER, old, constraint, constraint=constraint)
        self._filter = _filter_of(constraint)

    def _change(self, kind: AttributeType, old: Value, new: Value, **changed: object) -> None:
        if self._replace(**changed):
            self._report(attribute_change(self.id, self._clock(), kind, old, new))

    def _replace(self, **changed: object) -> bool:
        new = msgspec.structs.replace(self._attributes, **changed)
        if new == self._attributes:
            return False
        self._store.set_attributes(new)
        self._attributes = new
        return True

    def _report(self, event: StructuredEvent) -> None:
        self.own_events.append(event)
        call_client(self.on_own_event, event)

    def _check_readable(self) -> None:
        if self._disabled:
            raise LogDisabledError(f"log {self.id} is disabled: its store has failed")

    def _check_writable(self) -> None:
        self._check_readable()
        if self._attributes.locked:
            raise LogLockedError(f"log {self.id} is locked")
        if self.availability_status.off_duty:
            raise LogOffDutyError(f"log {self.id} is off duty")

    def _oldest(self) -> int:
        """Return the time before which the life of a record is over."""
        life_s = self._attributes.max_record_life_s
        return self._clock() - life_s * _TICKS_OF_S if life_s else 0

    def _purge(self) -> None:
        """Remove records whose life is over; those that stay for later are not found any more."""
        oldest = self._oldest()
        if oldest and self._store.remove_before(oldest, MOST_PURGED):
            self._full = False
            self._watch_size()

    def _fitting(self, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
        """Yield what of the rows can be written, making room where the log wraps."""
        most = self._attributes.max_size
        if not most:
            yield rows
            return
        for row in rows:
            size = row[3]
            if excess := self._excess(size):
                self._store.remove_oldest(excess)
            if self.current_size + size > most:
                self._full = self._attributes.full_action is LogFullAction.HALT
                return
            yield [row]

    def _excess(self, octets: int) -> int:
        """Return how many octets a log that wraps removes before so many fit."""
        most = self._attributes.max_size
        wraps = self._attributes.full_action is LogFullAction.WRAP and octets <= most
        return max(0, self.current_size + octets - most) if wraps else 0

    async def _make_room(self, octets: int) -> None:
        """Remove the oldest records in parts; others have their turn in between."""
        share = shared_slice()
        while (excess := self._excess(octets)) and self._store.remove_oldest(excess, MOST_REMOVED):
            share.end()
            await share.turn()

    def _above(self) -> set[int]:
        most = self._attributes.max_size
        if not most:
            return set()
        used = self.current_size * 100
        return {each for each in self._attributes.thresholds if used >= each * most}

    def _watch_size(self) -> None:
        """Report each threshold that was crossed, once in each direction."""
        above, most = self._above(), self._attributes.max_size
        observed = self.current_size * 100 // most if most else 0
        for crossed in sorted(above - self._crossed):
            severity = Severity.CRITICAL if crossed == 100 else Severity.MINOR
            self._alarm(crossed, observed, severity)
        for crossed in sorted(self._crossed - above, reverse=True):
            self._alarm(crossed, observed, Severity.CLEARED)
        self._crossed = above

    def _alarm(self, crossed: int, observed: int, severity: Severity) -> None:
        self._report(threshold_alarm(self.id, self._clock(), crossed, observed, severity))


def check_filter(constraint: str) -> None:
    """Check the constraint of a log's filter; an empty one accepts all events.

    Raises:
        InvalidConstraintError: It is not in the language.
    """
    _filter_of(constraint)


def _filter_of(constraint: str) -> Filter | None:
    if not constraint:
        return None
    made = Filter()
    made.add_constraints([((), constraint)])
    return made
