"""How far a connection has moved the events of each origin, kept over a kill of the service.

It is written to the page cache, not to the disk: what a process wrote survives its own end. So a
connection that begins again knows by the next event how many came in between and are lost.
"""

import contextlib
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from eventservices.missing import Missing, Seen
from eventservices.stamp import Stamp

log = logging.getLogger(__name__)

MOST_BYTES: Final = 1024 * 1024
"""Length of the file at which it is written again, with what is valid alone."""

_LINE: Final = b"\n"


class _Begun(msgspec.Struct, frozen=True, tag="begun", array_like=True):
    """Best-effort events are about to be published."""

    count: int


class _Moved(msgspec.Struct, frozen=True, tag="moved", array_like=True):
    """They were; what came of their origins, and the totals by then."""

    seen: list[Seen]
    missing: int
    in_doubt: int


_decoder: Final = msgspec.json.Decoder(_Begun | _Moved)


class Positions:
    """Counts what a connection lacks of the events that were published at its supplier channel.

    Args:
        path: The file; None where a restart begins the count again.

    Attributes:
        missing: What did not come, or was not moved before the service ended.
        in_doubt: Best-effort events that were being published when the service, or the broker,
            ended: as many of those missing may have been published all the same.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.missing = Missing()
        self.in_doubt = 0
        self._path = path
        self._file: int | None = None
        self._length = 0

    def open(self) -> None:
        """Go on from the file, where there is one; one that cannot be used is logged."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._restore(self._path.read_bytes() if self._path.exists() else b"")
            self._rewrite()
        except OSError as error:
            self._fail(error)

    def begin(self, count: int) -> None:
        """Note that best-effort events are about to be published.

        Args:
            count: How many.
        """
        if count:
            self._write(_Begun(count))

    def end(self, stamps: Sequence[Stamp | None], in_doubt: int = 0) -> None:
        """Note that events were moved, or ended here.

        Args:
            stamps: Of those that were published first at the supplier channel.
            in_doubt: How many best-effort ones the consumer channel's broker did not confirm.
        """
        last = {}
        for stamp in stamps:
            if stamp is not None:
                self.missing.came(stamp)
                last[stamp.origin, stamp.epoch] = stamp
        self.in_doubt += in_doubt
        if self._file is None:
            return
        seen = [self.missing.of(each) for each in last.values()]
        self._write(_Moved(seen, self.missing.total, self.in_doubt))
        if self._length > MOST_BYTES:
            try:
                self._rewrite()
            except OSError as error:
                self._fail(error)

    def close(self, *, forget: bool) -> None:
        """Close the file.

        Args:
            forget: Whether the connection ended for good.
        """
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if forget and self._path is not None:
            self._path.unlink(missing_ok=True)

    def _restore(self, content: bytes) -> None:
        begun = 0
        for line in content.splitlines():
            try:
                found = _decoder.decode(line)
            except msgspec.MsgspecError:
                continue  # the process ended while it wrote this
            if isinstance(found, _Begun):
                begun = found.count
                continue
            begun, self.in_doubt = 0, found.in_doubt
            for seen in found.seen:
                self.missing.restore(seen, found.missing)
            self.missing.total = found.missing
        self.in_doubt += begun

    def _rewrite(self) -> None:
        if self._path is None:
            return
        fresh = self._path.with_suffix(".new")
        moved = _Moved(self.missing.every(), self.missing.total, self.in_doubt)
        content = msgspec.json.encode(moved) + _LINE
        fresh.write_bytes(content)
        fresh.replace(self._path)
        self.close(forget=False)
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        self._length = len(content)

    def _write(self, record: _Begun | _Moved) -> None:
        if self._file is None:
            return
        line = msgspec.json.encode(record) + _LINE
        try:
            os.write(self._file, line)
        except OSError as error:
            self._fail(error)
        self._length += len(line)

    def _fail(self, error: OSError) -> None:
        """Count in memory alone from now on."""
        log.warning("positions_not_kept", extra={"path": str(self._path), "reason": str(error)})
        with contextlib.suppress(OSError):
            self.close(forget=False)
