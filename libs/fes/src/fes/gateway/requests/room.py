"""Room for requests: how many rows and bytes a gateway keeps, and for whom.

Source:
    ADR 16.
"""

from fes.errors import ControlEventError
from fes.gateway.requests.growth import MAX_WILD
from fes.gateway.requests.row import Row
from fes.gateway.requests.table import RequestTable
from fes.gateway.settings import GatewaySettings


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

    def check(self, rows: tuple[Row, ...], arrived: str) -> None:
        """Check that a request fits.

        The clients of one event service may use no more bytes than they leave free, so that they do
        not keep others from requesting; requests over the API, or of the file, may use all.

        Args:
            rows: Of one request.
            arrived: Event service that it was received at; "" where it came over the API.

        Raises:
            ControlEventError: Raised when it does not fit.
        """
        reason = self.lacks(rows)
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
