"""Room for requests: how many rows and bytes a gateway keeps, for whom, and how many a second.

Source:
    ADR 16.
"""

from typing import Final

from fes.errors import ControlEventError
from fes.gateway.requests.growth import MAX_WILD
from fes.gateway.requests.row import Row
from fes.gateway.requests.table import RequestTable
from fes.gateway.settings import GatewaySettings

BURST_S: Final = 10
"""Requests of so many seconds are accepted at once, and always as many as the table has rows."""

_SECOND_US: Final = 1_000_000


class Room:
    """Checks whether rows fit into the request table.

    Args:
        settings: Of the gateway; they bound the table.
        table: The request table.
    """

    def __init__(self, settings: GatewaySettings, table: RequestTable) -> None:
        self._table = table
        self._most_rows = settings.max_requests
        self._most_bytes = settings.requests_bytes
        self._rates: dict[tuple[str, str], _Rate] = {}
        self._rate = settings.request_rate
        self._burst = max(settings.max_requests, BURST_S * settings.request_rate)

    def check(self, rows: tuple[Row, ...], arrived: str, own_us: int) -> None:
        """Check that a request fits.

        The clients of one event service may use no more bytes than they leave free, so that they do
        not keep others from requesting; and they may change the table only so often, so that
        gateways do not spend their time, their links and their logs on them. Withdrawals of what
        is active, and renewals, are never too many. Requests over the API, or of the file, may use
        all, at any rate.

        Args:
            rows: Of one request.
            arrived: Event service that it was received at; "" where it came over the API.
            own_us: The gateway's own clock.

        Raises:
            ControlEventError: Raised when it does not fit.
        """
        reason = self.lacks(rows) or (arrived and self._above_rate(rows, arrived, own_us))
        if reason:
            raise ControlEventError(reason)
        grows = self._table.growth.bytes(rows)
        free = self._most_bytes - self._table.bytes - grows
        if arrived and grows > 0 and self._table.bytes_of(rows[0].source) > free:
            share = f"requests of {rows[0].source} use their share of {self._most_bytes} bytes"
            raise ControlEventError(share)

    def lacks(self, rows: tuple[Row, ...]) -> str:
        """Return why rows do not fit; empty where they do."""
        growth = self._table.growth
        if not growth.has_room(rows):
            return (
                f"parameter 'DistList': more than {MAX_WILD} patterns with wildcards of one"
                " requester and filter"
            )
        known = len(self._table)
        if known + len(rows) > self._most_rows and known + growth.rows(rows) > self._most_rows:
            return f"the request table is full ({self._most_rows} rows)"
        grows = growth.bytes(rows)
        if grows > 0 and self._table.bytes + grows > self._most_bytes:
            return f"the request table is full ({self._most_bytes} bytes)"
        return ""

    def _above_rate(self, rows: tuple[Row, ...], arrived: str, own_us: int) -> str:
        """Return why a request is one too many for its rate; empty where it is not."""
        if not self._changes(rows):
            return ""
        source = rows[0].source
        fresh = _Rate(self._rate, self._burst, own_us)
        if self._rates.setdefault((arrived, source), fresh).admits(own_us):
            return ""
        return f"more than {self._rate} new requests a second of {source}"

    def _changes(self, rows: tuple[Row, ...]) -> bool:
        """Return whether a request does more than to end, or to prolong, what is active."""
        return not all(map(self._ends if rows[0].withdrawn else self._prolongs, rows))

    def _ends(self, row: Row) -> bool:
        """Return whether a withdrawal ends something: a row of its pattern, or its key's newest."""
        known = self._table.at(row.key, row.pattern), self._table.newest(row.key)
        return any(each is not None and not each.withdrawn for each in known)

    def _prolongs(self, row: Row) -> bool:
        """Return whether a request is active as it is, and lasts longer by this one."""
        known = self._table.at(row.key, row.pattern)
        return (
            known is not None
            and not known.withdrawn
            and known.body == row.body
            and row.until_us - known.until_us >= _SECOND_US
        )


class _Rate:
    """A token bucket, full at first.

    Args:
        rate: Tokens that a second adds.
        most: Most tokens that there are: requests that are accepted at once.
        own_us: The gateway's own clock.
    """

    def __init__(self, rate: int, most: int, own_us: int) -> None:
        self._rate = rate
        self._most = most
        self._tokens = float(most)
        self._at_us = own_us

    def admits(self, own_us: int) -> bool:
        """Return whether one more is accepted, and count it."""
        passed_us = max(0, own_us - self._at_us)
        self._at_us += passed_us
        self._tokens = min(self._most, self._tokens + passed_us * self._rate / _SECOND_US)
        admitted = self._tokens >= 1
        self._tokens -= admitted
        return admitted
