"""`endpoints.json`: where each gateway's REST interface is now."""

import logging
from pathlib import Path

import msgspec

from traffic_control.errors import UNREADABLE

log = logging.getLogger(__name__)

MAX_BYTES = 4 * 1024 * 1024


class Endpoint(msgspec.Struct, frozen=True):
    """One gateway's address."""

    url: str


class _File(msgspec.Struct, frozen=True):
    gateways: dict[str, Endpoint]


class Endpoints:
    """Keeps the addresses; reads the file again whenever it changed.

    Args:
        path: The file, which may be written later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Endpoint] = {}
        self._read_at: tuple[int, int] = (0, 0)

    def url(self, gateway: str) -> str | None:
        """Return the URL of a gateway, without a path; None where it is not known."""
        self._refresh()
        found = self._known.get(gateway)
        return found.url.rstrip("/") if found else None

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            stands = (status.st_mtime_ns, status.st_size)
            if stands == self._read_at or status.st_size > MAX_BYTES:
                return
            self._known = msgspec.json.decode(self._path.read_bytes(), type=_File).gateways
            self._read_at = stands
        except FileNotFoundError:
            return
        except (OSError, *UNREADABLE) as error:
            log.warning("endpoints_not_read", extra={"error": str(error)})
