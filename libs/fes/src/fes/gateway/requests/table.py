"""The request table: which requests are active, for which event services.

A row is one pattern of one request. A newer row replaces every row of its key whose pattern it
covers, and a row that a newer one covers is ignored; so what is active does not depend on the order
in which requests arrive.

A row costs the same however large the table is: it is compared with the row of its own pattern and
with the patterns with wildcards of its key, which are few. Only a pattern with wildcards is
compared with all rows of its key, since it may replace them.

Source:
    design, section 4; ADR 15.
"""

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from fes.distribution import covers_pattern, is_pattern
from fes.gateway.digest import bucket_of
from fes.gateway.requests.contents import Contents
from fes.gateway.requests.ends import Ends
from fes.gateway.requests.growth import Growth
from fes.gateway.requests.held import Confine, Held, Holding, unconfined
from fes.gateway.requests.row import FOREVER, Key, Row, ended_at, is_newer, outliving

MARGIN = 4
"""A withdrawal outlives the horizon by this part of it: a gateway that was away for a little less
has time to learn of it."""


class Changes(NamedTuple):
    """What a request changed in the table."""

    new: tuple[Row, ...]
    gone: tuple[Row, ...]


class RequestTable:
    """Keeps the newest request of every key and pattern.

    Args:
        horizon_us: How long a withdrawal is remembered.
        services: Event services for which `changes` returns what changed.
        confine: Returns a request as it is active at an event service; None where it is not.

    Attributes:
        accepted_us: When a row was accepted last, own clock.
        forgotten: The largest version of a row that was deleted, leases that ended included.
        growth: Computes by how much the table would grow if rows were accepted.
    """

    def __init__(
        self, horizon_us: int, services: Iterable[str] = (), confine: Confine = unconfined
    ) -> None:
        self.accepted_us = 0
        self.forgotten = 0
        self.kept_us = kept_us(horizon_us)
        self._rows: dict[Key, dict[str, Row]] = {}
        self._wild: dict[Key, dict[str, Row]] = {}
        self._by_name: dict[str, Row] = {}
        self._newest: dict[Key, Row] = {}  # where it is known
        self._holding = Holding(services, self._rows, self._wild, confine)
        self._ends = Ends(self._by_name)
        self._contents = Contents()
        self.growth = Growth(self._wild, self._is_known, self._covered_by)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._by_name)

    @property
    def bytes(self) -> int:
        """Weight of all rows."""
        return self._contents.bytes

    @property
    def digest(self) -> int:
        """The digest of all rows: equal where the tables are equal."""
        return self._contents.digest

    def digests(self, count: int) -> tuple[int, ...]:
        """Return the digests of `count` buckets that the rows fall into."""
        return self._contents.digests(count)

    def within(self, buckets: Iterable[int], count: int) -> Iterator[Row]:
        """Yield the rows that fall into some of `of` buckets."""
        return self._contents.within(buckets, count)

    def rows(self) -> Iterator[Row]:
        """Yield every row, in the order in which keys and patterns came."""
        for rows in self._rows.values():
            yield from rows.values()

    def knows(self, row: Row) -> bool:
        """Return whether a row of the same key and pattern is known that is as new; one look-up."""
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
        return self._contents.bytes_of(source)

    def take(self, rows: Iterable[Row], own_us: int) -> Changes:
        """Accept rows that are newer than what is known.

        Args:
            rows: Of one request, or of a neighbour's table.
            own_us: The own time; with 0 rows that have ended are accepted, too.

        Returns:
            The rows that are new here, and those that they replaced.
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
        """Return the requests that are active at an event service, oldest first.

        The newest row of each key whose pattern matches decides; an event service is never the
        destination of its own clients' requests.
        """
        return self._holding.at(service)

    def asked(self, service: str) -> tuple[Row, ...]:
        """Return the requests for an event service as their clients made them, unconfined."""
        return self._holding.asked(service)

    def keys(self) -> tuple[Key, ...]:
        """Return the keys of all rows."""
        return tuple(self._rows)

    def review(self, keys: Iterable[Key]) -> None:
        """Find again which requests of some keys are active: what confines them changed."""
        for key in keys:
            self._holding.review(key)

    def changes(self) -> list[Held]:
        """Return which active requests at the services of this table changed since the last call.

        Unchanged requests cost nothing.
        """
        return self._holding.changes()

    def look_again(self, key: Key) -> None:
        """Find again what is active of a key: something else than the table has changed."""
        for pattern in list(self._rows.get(key, {})):
            self._holding.look(key, pattern)

    def expire(self, own_us: int, spare: int = 0) -> Changes:
        """End the leases that ran out, and forget the withdrawals past their time.

        A withdrawal that excludes destinations from an active wildcard stays as long as the
        wildcard. A lease that ended leaves a withdrawal for as long as a version that it superseded
        may last.

        Args:
            own_us: The own time.
            spare: How many withdrawals past their time are kept nevertheless, the youngest.

        Returns:
            The withdrawals that leases leave, and the rows that were deleted.
        """
        ended = self._ended(own_us)
        left = [self._left(row, own_us) for row in ended if not row.withdrawn]
        past = [row for row in ended if row.withdrawn]
        past.sort(key=lambda row: -row.until_us)
        for row in past[:spare]:
            self._ends.again(row)
        gone = [row for row in ended if not row.withdrawn] + past[spare:]
        for row in gone:
            self._remove(row)
        self._forget(gone)
        tombstones = [row for row in left if row is not None]
        for row in tombstones:
            self._put(row)
        return Changes(tuple(tombstones), tuple(gone))

    def drop(
        self, names: Container[str], within: Container[int], of: int, before: int
    ) -> list[Row]:
        """Remove the rows that another table does not have; return them.

        Args:
            names: Names of the rows of that table.
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
        longer = [ended_at(row, until_us) for row in short]
        for row in longer:
            self._keep(row)
            self._contents.add_again(row)
        return longer

    def follow(self, rows: Iterable[Row]) -> list[Row]:
        """Store rows as the leader has them, newer or not; return those that were not here."""
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
        """Remove rows by name; return whether there were any."""
        found = [self._by_name[name] for name in names if name in self._by_name]
        for row in found:
            self._remove(row)
        return bool(found)

    def discard_but(self, names: Container[str]) -> bool:
        """Remove all rows but those named; return whether there were any."""
        return self.discard([name for name in self._by_name if name not in names])

    def _covered_by(self, row: Row) -> Iterator[Row]:
        """Yield the rows that a row may replace: its own, with wildcards others too."""
        rows = self._rows.get(row.key, {})
        if not is_pattern(row.pattern):
            return iter([rows[row.pattern]] if row.pattern in rows else [])
        return (other for pattern, other in rows.items() if covers_pattern(row.pattern, pattern))

    def _is_known(self, row: Row) -> bool:
        """Return whether a row as new is known.

        Every pattern of one request has a row of its own.
        """
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
        """Replace the rows that a row covers; return it as it is kept, and the others."""
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
        kept = self._put(outliving(row, max((other.last_us for other in gone), default=0)))
        if newest is not None and is_newer(kept, newest):
            self._newest[row.key] = kept
        return kept, [other for other in gone if other is not same]

    def _forget(self, rows: Iterable[Row]) -> None:
        self.forgotten = max([self.forgotten, *(row.version for row in rows)])

    def _left(self, row: Row, own_us: int) -> Row | None:
        """Return the withdrawal that an ended lease leaves.

        None where no older version may last.
        """
        if row.outlives_us <= own_us:
            return None
        until_us = own_us + self.kept_us if row.outlives_us >= FOREVER else row.outlives_us
        return ended_at(row, until_us, withdrawn=True, since_us=own_us)

    def _put(self, row: Row) -> Row:
        self._keep(row)
        self._contents.add(row)
        if row.withdrawn:
            self._ends.look_again(row.key, row.pattern)
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
            self._newest.pop(key)  # kept again with another end
        self._ends.put(row)
        self._holding.look(key, row.pattern)

    def _remove(self, row: Row) -> None:
        key = row.key
        self._contents.remove(row)
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
        self._holding.look(key, row.pattern)
        if not rows:
            del self._rows[key]
        self._ends.look_again(key, row.pattern)

    def _ended(self, own_us: int) -> list[Row]:
        """Return the rows whose time is over, but for withdrawals within a wildcard."""
        ended = self._ends.take(own_us)
        for name, row in list(ended.items()):
            if row.withdrawn and self._carves(row, self._wild.get(row.key, {}).values()):
                self._ends.carve(row)
                del ended[name]
        return list(ended.values())


def kept_us(horizon_us: int) -> int:
    """Return how long a withdrawal is remembered, microseconds."""
    return horizon_us + horizon_us // MARGIN
