"""A log: it keeps records within its size and their life, and reports when it fills up.

Source:
    OMG Telecom Log Service 1.1.2, interface `DsLogAdmin::Log`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from eventservices.cns.domains.logs.errors import (
    InvalidParamError,
    InvalidRecordIdError,
    LogDisabledError,
    LogFullError,
    LogLockedError,
    LogOffDutyError,
)
from eventservices.cns.domains.logs.iterator import LogIterator, in_parts, record_of
from eventservices.cns.domains.logs.own_events import (
    StateType,
    object_deletion,
    processing_error,
    state_change,
)
from eventservices.cns.domains.logs.records import (
    OVERHEAD_BYTES,
    LogRecord,
    checked_attributes,
    constraint_of,
    packed,
)
from eventservices.cns.domains.logs.settings import LogSettings, Row, check_filter
from eventservices.cns.domains.logs.store import LogStore
from eventservices.cns.etcl import GRAMMAR, Constraint, prepare
from eventservices.cns.etcl.utc import ticks_now
from eventservices.cns.event import AnyEvent
from eventservices.cns.value import Value


class Log(LogSettings):
    """A log of events.

    Args:
        log_id: Its identifier.
        store: Its records and settings.
        clock: Ticks of 100 ns since 1582-10-15 UTC.

    Attributes:
        not_logged: Events that were not logged, by reason.
    """

    def __init__(self, log_id: int, store: LogStore, clock: Callable[[], int] = ticks_now) -> None:
        super().__init__(log_id, store, clock)
        self.not_logged: dict[str, int] = {}
        prepare()  # logs are made beside the loop, and queried in it

    def write_records(
        self, records: Sequence[Value], attributes: Sequence[Mapping[str, Value]] = ()
    ) -> list[int]:
        """Write records, and return their identifiers.

        Args:
            records: The event of each.
            attributes: Of each record; none of all by default.

        Raises:
            LogDisabledError: The store has failed.
            LogLockedError: The log is locked.
            LogOffDutyError: It is not on duty.
            LogFullError: It halts and is full; those before were written.
            InvalidAttributeError: An attribute is not valid; nothing was written.
            MalformedError: No Any carries a record; nothing was written.
        """
        self._check_writable()
        self._purge()
        noted = [checked_attributes(each) for each in attributes] or [b""] * len(records)
        if len(noted) != len(records):
            raise InvalidParamError(f"{len(noted)} lists of attributes for {len(records)} records")
        rows = [self._row(packed(info), attrs) for info, attrs in zip(records, noted, strict=True)]
        return self._append(rows, deferred=False)

    def _append(self, rows: Sequence[Row], *, deferred: bool) -> list[int]:
        written: list[int] = []
        try:
            for batch in self._fitting(rows):
                written += self._store.append(batch, deferred=deferred)
        except LogDisabledError as error:
            self.disable(str(error))
            raise
        self._watch_size()
        if len(written) < len(rows):
            raise LogFullError(len(written))
        return written

    async def log_event(self, event: Value) -> bool:
        """Log an event of a channel, where the filter accepts it and the log is on duty.

        It is as safe as the log's quality of service requires once `settle` has returned. Where
        many are removed for a large one, others have their turn in between.

        Returns:
            Whether it was logged; else the reason is counted.
        """
        if self._filter is not None and not self._filter.matches(AnyEvent(event)):
            return self._passed_over("filtered")
        info = packed(event)
        try:
            self._check_writable()
            self._purge()
            await self._make_room(OVERHEAD_BYTES + len(info))
            self._check_writable()  # others may have locked it meanwhile
            self._append([self._row(info, b"")], deferred=True)
        except LogLockedError:
            return self._passed_over("locked")
        except LogOffDutyError:
            return self._passed_over("off_duty")
        except LogFullError:
            return self._passed_over("log_full")
        except LogDisabledError as error:
            self.disable(str(error))
            return self._passed_over("disabled")
        return True

    async def settle(self) -> None:
        """Write to the disk what is due, beside the event loop; a store that fails is disabled."""
        if self._disabled or not self._store.due:
            return
        try:
            await asyncio.to_thread(self._store.settle)
        except LogDisabledError as error:
            self.disable(str(error))

    def query(self, constraint: str, grammar: str = GRAMMAR) -> LogIterator:
        """Return an iterator over the records that match a constraint.

        Raises:
            InvalidGrammarError: The grammar is not `EXTENDED_TCL`.
            InvalidConstraintError: The constraint is not in the language.
            LogDisabledError: The store has failed.
        """
        self._check_readable()
        self._purge()
        return self._iterator(constraint_of(grammar, constraint))

    def retrieve(self, from_time: int, how_many: int) -> LogIterator:
        """Return an iterator over records from a time on, or back from it.

        Args:
            from_time: Ticks of 100 ns since 1582-10-15.
            how_many: Backwards, the newest first, where it is negative.

        Raises:
            InvalidParamError: `how_many` is 0.
            LogDisabledError: The store has failed.
        """
        if not how_many:
            raise InvalidParamError("how_many is 0")
        relation = "<=" if how_many < 0 else ">="
        self._check_readable()
        self._purge()
        constraint = constraint_of(GRAMMAR, f"$.time {relation} {from_time}")
        return self._iterator(constraint, backwards=how_many < 0)

    async def match(self, constraint: str, grammar: str = GRAMMAR) -> int:
        """Return how many records match a constraint; errors as of `query`."""
        return await self.query(constraint, grammar).count()

    async def delete_records(self, constraint: str, grammar: str = GRAMMAR) -> int:
        """Delete the records that match a constraint, and return how many; errors as of `query`."""
        ids = await self.query(constraint, grammar).ids()
        return sum([self.delete_records_by_id(part) async for part in in_parts(ids)])

    def delete_records_by_id(self, ids: Sequence[int]) -> int:
        """Delete records, and return how many there were; unknown identifiers are passed over."""
        self._check_readable()
        count = self._store.remove(ids)
        self._full = self._full and not count
        self._watch_size()
        return count

    def get_record_attribute(self, record_id: int) -> Mapping[str, Value]:
        """Return the attributes of a record.

        Raises:
            InvalidRecordIdError: There is no such record.
        """
        return self.get_record(record_id).attr_list

    def get_record(self, record_id: int) -> LogRecord:
        """Return a record; errors as of `get_record_attribute`."""
        self._check_readable()
        row = self._store.get(record_id)
        if row is None:
            raise InvalidRecordIdError(f"the log has no record {record_id}")
        return record_of(row)

    def set_record_attribute(self, record_id: int, attributes: Mapping[str, Value]) -> None:
        """Set the attributes of a record, in place of those before.

        Raises:
            InvalidRecordIdError: There is no such record.
            InvalidAttributeError: One has no name, or a value that no Any carries.
        """
        noted = checked_attributes(attributes)
        self._check_readable()
        row = self._store.get(record_id)
        if row is None:
            raise InvalidRecordIdError(f"the log has no record {record_id}")
        self._store.note(record_id, noted, OVERHEAD_BYTES + len(row[2]) + len(noted))

    async def set_records_attribute(
        self, constraint: str, attributes: Mapping[str, Value], grammar: str = GRAMMAR
    ) -> int:
        """Set the attributes of all records that match, and return how many; errors as of both."""
        checked_attributes(attributes)
        ids = await self.query(constraint, grammar).ids()
        noted = 0
        async for [record_id] in in_parts(ids, most=1):
            if self._store.get(record_id) is not None:  # else it was removed meanwhile
                self.set_record_attribute(record_id, attributes)
                noted += 1
        return noted

    async def flush(self) -> None:
        """Write everything to the disk, beside the event loop, so that it survives a power loss.

        Raises:
            LogDisabledError: The store has failed.
        """
        self._check_readable()
        await asyncio.to_thread(self._store.flush)

    def disable(self, reason: str) -> None:
        """Write and read nothing any more, because the store has failed."""
        if not self._disabled:
            self._disabled = True
            now = self._clock()
            self._report(processing_error(self.id, now, reason))
            self._report(state_change(self.id, now, StateType.OPERATIONAL, 0))

    def destroy(self) -> None:
        """Close the log, and report it."""
        self._report(object_deletion(self.id, self._clock()))
        self._store.close()

    def close(self) -> None:
        """Close the log; its file brings it back."""
        self._store.close()

    def set_filter(self, constraint: str) -> None:
        """Log only the events that a constraint accepts; all where it is empty.

        Raises:
            InvalidConstraintError: It is not in the language.
        """
        check_filter(constraint)
        self._change_filter(constraint)

    def _iterator(self, constraint: Constraint, *, backwards: bool = False) -> LogIterator:
        found = LogIterator(self._store, constraint, self._check_readable, backwards=backwards)
        found.oldest = self._oldest
        return found

    def _row(self, info: bytes, attrs: bytes) -> Row:
        return (self._clock(), info, attrs, OVERHEAD_BYTES + len(info) + len(attrs))

    def _passed_over(self, reason: str) -> bool:
        self.not_logged[reason] = self.not_logged.get(reason, 0) + 1
        return False
