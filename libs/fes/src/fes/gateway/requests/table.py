"""The request table: which requests hold, for which event services.

A row is one pattern of one request. A row that is newer takes the place of every row of its key
whose pattern it covers, and is itself nothing new where a newer row covers it; so what holds
does not depend on the order in which requests arrive.

A row costs the same however large the table is: it is compared with the row of its own pattern and
with the patterns with wildcards of its key, which are few. Only a pattern with wildcards is
compared with all rows of its key, whose places it may take.

Source:
    design, section 4; ADR 15.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple

import msgspec

from fes.distribution import covers_pattern, is_pattern, matches
from fes.gateway.digest import bucket_of
from fes.gateway.requests.buckets import Buckets
from fes.gateway.requests.row import FOREVER, Key, Row, is_newer, weight_of_request

MAX_WILD: Final = 32
"""Most patterns with wildcards of one key; a row above it is refused."""

MARGIN = 4
"""A withdrawal outlives the horizon by this part of it: who was gone for a little less has time to
learn of it."""


class Changes(NamedTuple):
    """What a request changed in the table."""

    new: tuple[Row, ...]
    gone: tuple[Row, ...]


class Held(NamedTuple):
    """What holds of a key at an event service, as it was and as it is.

    Attributes:
        service: The event service.
        before, after: The standing request; None where none holds.
    """

    service: str
    before: Row | None
    after: Row | None


class RequestTable:
    """Keeps the newest request of every key and pattern.

    Args:
        horizon_us: How long a withdrawal is remembered.
        services: Event services for which `changes` tells what changed.

    Attributes:
        accepted_us: When a row was accepted last, own clock.
        forgotten: The largest version of a withdrawal that is not remembered any more.
        bytes: Weight of all rows.
    """

    def __init__(self, horizon_us: int, services: Iterable[str] = ()) -> None:
        self.accepted_us = 0
        self.forgotten = 0
        self.kept_us = kept_us(horizon_us)
        self._rows: dict[Key, dict[str, Row]] = {}
        self._wild: dict[Key, dict[str, Row]] = {}
        self._by_name: dict[str, Row] = {}
        self._newest: dict[Key, Row] = {}  # where it is known
        self._held: dict[str, dict[Key, Row]] = {service: {} for service in services}
        self._changed: dict[tuple[str, Key], Row | None] = {}
        self._due: list[tuple[int, str]] = []
        self._carving: dict[Key, dict[str, None]] = {}
        self._buckets: Buckets[Row] = Buckets()
        self.bytes = 0
        self._bytes_of: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._by_name)

    @property
    def digest(self) -> int:
        """Stands for all rows: equal where the tables are."""
        return self._buckets.digest

    def digests(self, count: int) -> tuple[int, ...]:
        """Return the digests of the buckets that the rows fall into, so many of them."""
        return self._buckets.digests(count)

    def within(self, buckets: Iterable[int], count: int) -> Iterator[Row]:
        """Yield the rows that fall into some of so many buckets."""
        return self._buckets.within(buckets, count)

    def rows(self) -> Iterator[Row]:
        """Yield every row, in the order in which keys and patterns came."""
        for rows in self._rows.values():
            yield from rows.values()

    def knows(self, row: Row) -> bool:
        """Tell whether a row of its key and pattern is known that is as new; it costs one look."""
        same = self._rows.get(row.key, {}).get(row.pattern)
        return same is not None and not is_newer(row, same)

    def newest(self, key: Key) -> Row | None:
        """Return the newest row of a key; None where there is none."""
        known = self._newest.get(key)
        if known is None and key in self._rows:
            known = max(self._rows[key].values(), key=lambda row: row.rank)
            self._newest[key] = known
        return known

    def at(self, key: Key, pattern: str) -> Row | None:
        """Return the row of a key and a pattern; None where there is none."""
        return self._rows.get(key, {}).get(pattern)

    def bytes_of(self, source: str) -> int:
        """Return the weight of the rows that come from an event service."""
        return self._bytes_of[source]

    def growth_bytes(self, rows: Iterable[Row]) -> int:
        """Return how many bytes more the table accounts for once some rows are taken in."""
        new, gone = self._exchanged(rows)
        return sum(map(weight_of_request, new)) - sum(map(weight_of_request, gone))

    def growth(self, rows: Iterable[Row]) -> int:
        """Return how many rows more there are once some are taken in; renewals cost nothing."""
        new, gone = self._exchanged(rows)
        return len(new) - len(gone)

    def _exchanged(self, rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
        """Return the rows that would be new, and those whose places they would take."""
        new: dict[tuple[Key, str], Row] = {}
        gone: dict[tuple[Key, str], Row] = {}
        for row in rows:
            if not self._is_known(row):
                new[row.key, row.pattern] = row
                gone |= {
                    (row.key, other.pattern): other
                    for other in self._covered_by(row)
                    if is_newer(row, other)
                }
        return list(new.values()), list(gone.values())

    def has_room(self, rows: Iterable[Row]) -> bool:
        """Tell whether no key would have more patterns with wildcards than it may."""
        fresh: dict[Key, dict[str, None]] = {}
        for row in rows:
            if is_pattern(row.pattern) and row.pattern not in self._wild.get(row.key, ()):
                fresh.setdefault(row.key, {})[row.pattern] = None
        return all(
            len(patterns) + len(self._wild.get(key, ())) <= MAX_WILD
            for key, patterns in fresh.items()
        )

    def take(self, rows: Iterable[Row], own_us: int) -> Changes:
        """Take in rows that are newer than what is known.

        Args:
            rows: Of one request, or of a neighbour's table.
            own_us: The own time; 0 takes what has ended, too.

        Returns:
            The rows that are new here, and those whose place they took.
        """
        new: list[Row] = []
        gone: list[Row] = []
        batch = tuple(rows)
        for row in batch:
            if self._is_known(row) or self._is_stale(row, batch, own_us):
                continue
            kept, others = self._replace(row)
            gone.extend(others)
            new.append(kept)
            self.accepted_us = max(self.accepted_us, kept.since_us)
        return Changes(tuple(new), tuple(gone))

    def wanted(self, service: str) -> list[Row]:
        """Return the standing requests that hold at an event service, oldest first.

        What holds is decided by the newest row of each key whose pattern matches; an event
        service is never the destination of its own clients' requests.
        """
        held = self._held.get(service)
        found = held.values() if held is not None else self._all_that_hold(service)
        return sorted(found, key=lambda row: (row.rank, row.name))

    def changes(self) -> list[Held]:
        """Return what changed of what holds at the services of this table, since the last call.

        It costs what changed, and nothing for what did not.
        """
        changed, self._changed = self._changed, {}
        held = [
            Held(service, before, self._held[service].get(key))
            for (service, key), before in changed.items()
        ]
        return [each for each in held if each.before is not each.after]

    def expire(self, own_us: int, spare: int = 0) -> Changes:
        """End the leases that ran out, and forget the withdrawals past their time.

        A withdrawal that carves a hole in a live wildcard stays as long as the wildcard. A lease
        that ended leaves a withdrawal as long as a version may live that it superseded.

        Args:
            own_us: The own time.
            spare: How many withdrawals past their time are kept nevertheless, the youngest.

        Returns:
            The withdrawals that are left, and the rows that are gone.
        """
        ended = self._ended(own_us)
        left = [self._left(row, own_us) for row in ended if not row.withdrawn]
        past = [row for row in ended if row.withdrawn]
        past.sort(key=lambda row: -row.until_us)
        for row in past[:spare]:
            heappush(self._due, (row.until_us, row.name))
        gone = [row for row in ended if not row.withdrawn] + past[spare:]
        for row in gone:
            self._remove(row)
        self._forget(past[spare:])
        tombstones = [row for row in left if row is not None]
        for row in tombstones:
            self._put(row)
        return Changes(tuple(tombstones), tuple(gone))

    def drop(
        self, names: Container[str], within: Container[int], of: int, before: int
    ) -> list[Row]:
        """Remove the rows that another table does not have; return them.

        Args:
            names: Of that table's rows.
            within: Buckets that are compared.
            of: How many buckets there are.
            before: Rows that were accepted after it stay, own clock.
        """
        gone = [
            row
            for row in self.rows()
            if row.since_us <= before
            and row.name not in names
            and bucket_of(row.digest, of) in within
        ]
        for row in gone:
            self._remove(row)
        self._forget(gone)
        return gone

    def prolong(self, own_us: int) -> list[Row]:
        """Remember every withdrawal for as long as a new one; return those that were changed."""
        until_us = own_us + self.kept_us
        short = [row for row in self.rows() if row.withdrawn and row.until_us < until_us]
        longer = [_ended_at(row, until_us) for row in short]
        for row in longer:
            self._keep(row)
            self._buckets.add_again(row)
        return longer

    def follow(self, rows: Iterable[Row]) -> list[Row]:
        """Have rows as another has them, newer or not; return those that were not here."""
        new = []
        for row in rows:
            known = self._rows.get(row.key, {}).get(row.pattern)
            if known == row:
                continue
            if known is not None:
                self._remove(known)
            self._put(row)
            new.append(row)
        return new

    def discard(self, names: Iterable[str]) -> bool:
        """Remove rows by their names; tell whether there were any."""
        found = [self._by_name[name] for name in names if name in self._by_name]
        for row in found:
            self._remove(row)
        return bool(found)

    def discard_but(self, names: Container[str]) -> bool:
        """Remove all rows but some, by their names; tell whether there were any."""
        return self.discard([name for name in self._by_name if name not in names])

    def _covered_by(self, row: Row) -> Iterator[Row]:
        """Yield the rows whose places a row may take: only wildcards may take others' than its."""
        rows = self._rows.get(row.key, {})
        if not is_pattern(row.pattern):
            return iter([rows[row.pattern]] if row.pattern in rows else [])
        return (other for pattern, other in rows.items() if covers_pattern(row.pattern, pattern))

    def _is_known(self, row: Row) -> bool:
        """Tell whether as new a row is known; of one request every pattern has a row of its own."""
        return self.knows(row) or any(
            is_newer(other, row) and covers_pattern(pattern, row.pattern)
            for pattern, other in self._wild.get(row.key, {}).items()
        )

    def _is_stale(self, row: Row, batch: tuple[Row, ...], own_us: int) -> bool:
        if not row.until_us or row.until_us > own_us:
            return False
        if not row.withdrawn:
            return bool(own_us)
        others = (*self._wild.get(row.key, {}).values(), *batch)
        return bool(own_us) and not self._carves(row, others)

    @staticmethod
    def _carves(row: Row, others: Iterable[Row]) -> bool:
        return any(
            other.key == row.key
            and not other.withdrawn
            and covers_pattern(other.pattern, row.pattern)
            for other in others
        )

    def _replace(self, row: Row) -> tuple[Row, list[Row]]:
        """Put a row in the place of those it covers; return it as it is kept, and the others."""
        rows = self._rows.get(row.key, {})
        same = rows.get(row.pattern)
        gone = [] if same is None else [same]
        if is_pattern(row.pattern):
            gone += [
                other
                for pattern, other in rows.items()
                if other is not same
                and is_newer(row, other)
                and covers_pattern(row.pattern, pattern)
            ]
        newest = self._newest.get(row.key)
        for other in gone:
            self._remove(other)
        kept = self._put(_outliving(row, max((other.last_us for other in gone), default=0)))
        if newest is not None and is_newer(kept, newest):
            self._newest[row.key] = kept
        return kept, [other for other in gone if other is not same]

    def _forget(self, rows: Iterable[Row]) -> None:
        self.forgotten = max([self.forgotten, *(row.version for row in rows)])

    def _left(self, row: Row, own_us: int) -> Row | None:
        """Return what is left of a lease that ended; None where nothing older may live."""
        if row.outlives_us <= own_us:
            return None
        until_us = own_us + self.kept_us if row.outlives_us >= FOREVER else row.outlives_us
        return _ended_at(row, until_us, withdrawn=True, since_us=own_us)

    def _put(self, row: Row) -> Row:
        self._keep(row)
        self._count_in(row)
        if row.withdrawn:
            self._look_again(row.key, row.pattern)
        return row

    def _keep(self, row: Row) -> None:
        key, name = row.key, row.name
        self._rows.setdefault(key, {})[row.pattern] = row
        if is_pattern(row.pattern):
            self._wild.setdefault(key, {})[row.pattern] = row
        self._by_name[name] = row
        newest = self._newest.get(key)
        if len(self._rows[key]) == 1 or (newest is not None and is_newer(row, newest)):
            self._newest[key] = row
        elif newest is not None and newest.pattern == row.pattern:
            self._newest.pop(key)  # kept anew with another end
        self._carving.get(key, {}).pop(name, None)
        if row.until_us:
            heappush(self._due, (row.until_us, name))
            self._tidy_due()
        self._hold(key, row.pattern)

    def _remove(self, row: Row) -> None:
        key = row.key
        self._count_out(row)
        del self._by_name[row.name]
        if self._newest.get(key) is row:
            del self._newest[key]
        rows = self._rows[key]
        del rows[row.pattern]
        wild = self._wild.get(key)
        if wild is not None:
            wild.pop(row.pattern, None)
            if not wild:
                del self._wild[key]
        self._hold(key, row.pattern)
        if not rows:
            del self._rows[key]
        self._look_again(key, row.pattern)

    def _ended(self, own_us: int) -> list[Row]:
        """Return the rows whose time is over, but for withdrawals that carve a hole."""
        ended: dict[str, Row] = {}
        while self._due and self._due[0][0] <= own_us:
            _, name = heappop(self._due)
            row = self._by_name.get(name)
            if row is None or not 0 < row.until_us <= own_us:
                continue  # it went since, or was renewed and has an entry of its own
            if row.withdrawn and self._carves(row, self._wild.get(row.key, {}).values()):
                self._carving.setdefault(row.key, {})[name] = None
            else:
                ended[name] = row
        return list(ended.values())

    def _look_again(self, key: Key, pattern: str) -> None:
        """Have withdrawals end that a wildcard kept, which may be gone now."""
        if not is_pattern(pattern):
            return
        for name in self._carving.pop(key, ()):
            heappush(self._due, (0, name))

    def _tidy_due(self) -> None:
        """Leave out the times of rows that went, where they are most: renewals leave one each."""
        if len(self._due) > 64 + 2 * len(self._by_name):
            kept = {name for names in self._carving.values() for name in names}
            self._due = [
                (row.until_us, name)
                for name, row in self._by_name.items()
                if row.until_us and name not in kept
            ]
            heapify(self._due)

    def _hold(self, key: Key, pattern: str) -> None:
        """Find anew what holds of a key where a pattern matches."""
        if not is_pattern(pattern):
            services: Iterable[str] = (pattern,) if pattern in self._held else ()
        else:
            services = [service for service in self._held if matches(pattern, service)]
        for service in services:
            held = self._held[service]
            before, after = held.get(key), self._holds(key, service)
            if before is after:
                continue
            self._changed.setdefault((service, key), before)
            if after is None:
                del held[key]
            else:
                held[key] = after

    def _holds(self, key: Key, service: str) -> Row | None:
        """Return the request of a key that holds at an event service; None where none does."""
        if key.source == service:
            return None
        best = self._rows.get(key, {}).get(service)
        for pattern, row in self._wild.get(key, {}).items():
            if matches(pattern, service) and (best is None or is_newer(row, best)):
                best = row
        return None if best is None or best.withdrawn else best

    def _all_that_hold(self, service: str) -> list[Row]:
        found = (self._holds(key, service) for key in self._rows)
        return [row for row in found if row is not None]

    def _count_in(self, row: Row) -> None:
        self._buckets.add(row)
        self._weigh(row, weight_of_request(row))

    def _count_out(self, row: Row) -> None:
        self._buckets.remove(row)
        self._weigh(row, -weight_of_request(row))

    def _weigh(self, row: Row, change: int) -> None:
        self.bytes += change
        self._bytes_of[row.source] += change
        if not self._bytes_of[row.source]:
            del self._bytes_of[row.source]


def kept_us(horizon_us: int) -> int:
    """Return how long a withdrawal is remembered, microseconds."""
    return horizon_us + horizon_us // MARGIN


def _outliving(row: Row, last_us: int) -> Row:
    """Return a row that took the place of others whose last end is known."""
    if not row.until_us:
        return row
    if row.withdrawn and row.until_us < last_us < FOREVER:
        return msgspec.structs.replace(row, until_us=last_us)
    return _ended_at(row, row.until_us, outlives_us=max(last_us, row.outlives_us))


def _ended_at(row: Row, until_us: int, **others: Any) -> Row:
    """Return a row with another end, and with no later one where none is: as it is restored."""
    row = msgspec.structs.replace(row, until_us=until_us, **others)
    if 0 < row.outlives_us <= until_us:
        return msgspec.structs.replace(row, outlives_us=0)
    return row
