"""Makes logs and finds them.

Source:
    OMG Telecom Log Service 1.1.2, `DsLogAdmin::LogMgr`, `BasicLogFactory`.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from eventservices.cns.domains.logs.attributes import (
    LogAttributes,
    checked_action,
    checked_thresholds,
)
from eventservices.cns.domains.logs.errors import (
    InvalidParamError,
    LogDisabledError,
    LogIdAlreadyExistsError,
    LogNotFoundError,
)
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.own_events import object_creation
from eventservices.cns.domains.logs.settings import check_filter
from eventservices.cns.domains.logs.store import LogStore
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.etcl.utc import ticks_now

MOST_LOGS: Final = 1_000
"""Most logs of a manager."""

_SUFFIX: Final = ".log.sqlite"
_PARTS: Final = ("", "-wal", "-shm")

log = logging.getLogger(__name__)


class LogManager:
    """Makes logs and finds them; identifiers count from 0.

    Args:
        folder: Where logs are kept; None for logs that a restart forgets.
        clock: Ticks of 100 ns since 1582-10-15 UTC.
    """

    def __init__(self, folder: Path | None = None, clock: Callable[[], int] = ticks_now) -> None:
        self._folder = folder
        self._clock = clock
        self._logs: dict[int, Log] = {}

    def open_all(self) -> tuple[int, ...]:
        """Bring back the logs of the folder, and return their identifiers.

        Raises:
            LogDisabledError: A file cannot be opened.
        """
        found = [] if self._folder is None else sorted(self._folder.glob(f"*{_SUFFIX}"))
        for path in found:
            number = path.name.removesuffix(_SUFFIX)
            if number.isascii() and number.isdigit():
                self.open(int(number))
        return self.list_logs_by_id()

    def create(
        self, full_action: int, max_size: int, thresholds: Sequence[int] = ()
    ) -> tuple[Log, int]:
        """Make a log, and return it with its identifier.

        Raises:
            InvalidLogFullActionError: The action is neither to wrap 0 nor to halt 1.
            InvalidParamError: The size is negative.
            InvalidThresholdError: A threshold is not 0 to 100 per cent.
        """
        log_id = max(self._logs, default=-1) + 1
        return self.create_with_id(log_id, full_action, max_size, thresholds), log_id

    def create_with_id(
        self, log_id: int, full_action: int, max_size: int, thresholds: Sequence[int] = ()
    ) -> Log:
        """Make a log under an identifier; errors as of `create`.

        Raises:
            LogIdAlreadyExistsError: There is one of that identifier.
        """
        if not 0 <= max_size < 2**63:
            raise InvalidParamError(f"{max_size} is not a size")
        settings = LogAttributes(
            full_action=checked_action(full_action),
            max_size=max_size,
            thresholds=checked_thresholds(thresholds),
        )
        return self.make(log_id, settings)

    def make(self, log_id: int, settings: LogAttributes) -> Log:
        """Make a log with settings; errors as of `create_with_id`."""
        if log_id in self._logs:
            raise LogIdAlreadyExistsError(f"there is a log {log_id}")
        if len(self._logs) >= MOST_LOGS:
            raise AdminLimitExceededError("MaxLogs", MOST_LOGS)
        path = self._path(log_id)
        if path != _MEMORY and path.exists():
            raise LogIdAlreadyExistsError(f"there is a log {log_id} in {path}")
        check_filter(settings.constraint)
        store = LogStore(path)
        store.set_attributes(settings)
        made = self._logs[log_id] = Log(log_id, store, self._clock)
        made.own_events.append(object_creation(log_id, self._clock()))
        return made

    def make_over(self, log_id: int, settings: LogAttributes) -> Log:
        """Make a log whose identifier is new; a file that is there already is renamed, and kept.

        Such a file is what is left of a log that was not made to the end, or of another journal.

        Raises:
            LogDisabledError: A file cannot be renamed or made.
            InvalidConstraintError: The filter is not in the language; nothing was made.
        """
        check_filter(settings.constraint)
        path = self._path(log_id)
        if path != _MEMORY and path.exists():
            aside = f"{path.name}.{time.time_ns()}"
            log.warning("log_file_set_aside", extra={"path": str(path), "name_now": aside})
            try:
                for suffix in _PARTS:
                    part = path.with_name(path.name + suffix)
                    if part.exists():
                        part.rename(path.with_name(aside + suffix))
            except OSError as error:
                raise LogDisabledError(f"{path}: {error}") from error
        return self.make(log_id, settings)

    def open(self, log_id: int) -> Log:
        """Bring back a log of the folder, or return it where it is open.

        Raises:
            LogDisabledError: Its file cannot be opened.
        """
        if log_id not in self._logs:
            self._logs[log_id] = Log(log_id, LogStore(self._path(log_id)), self._clock)
        return self._logs[log_id]

    def copy(self, log_id: int) -> tuple[Log, int]:
        """Make a log with the settings of another; records are not copied.

        Raises:
            LogNotFoundError: There is none of that identifier.
        """
        made = max(self._logs, default=-1) + 1
        return self.copy_with_id(log_id, made), made

    def copy_with_id(self, log_id: int, made_id: int) -> Log:
        """Make the same under a chosen identifier.

        Raises:
            LogNotFoundError: There is none to copy.
            LogIdAlreadyExistsError: There is one of the new identifier.
        """
        return self.make(made_id, self.find_log(log_id).attributes)

    def list_logs(self) -> tuple[Log, ...]:
        """Return the logs, by identifier."""
        return tuple(self._logs[each] for each in sorted(self._logs))

    def list_logs_by_id(self) -> tuple[int, ...]:
        """Return the identifiers of the logs, ascending."""
        return tuple(sorted(self._logs))

    def find_log(self, log_id: int) -> Log:
        """Return a log.

        Raises:
            LogNotFoundError: There is none of that identifier.
        """
        if log_id not in self._logs:
            raise LogNotFoundError(f"there is no log {log_id}")
        return self._logs[log_id]

    def destroy(self, log_ids: Iterable[int]) -> None:
        """Destroy logs with their records; unknown identifiers are passed over."""
        for log_id in tuple(log_ids):
            destroyed = self._logs.pop(log_id, None)
            if destroyed is None:
                continue
            destroyed.destroy()
            for suffix in _PARTS:
                path = self._path(log_id)
                if path != _MEMORY:
                    path.with_name(path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Close all logs; their files bring them back."""
        for each in self._logs.values():
            each.close()
        self._logs.clear()

    def _path(self, log_id: int) -> Path:
        return _MEMORY if self._folder is None else self._folder / f"{log_id}{_SUFFIX}"


_MEMORY: Final = Path(":memory:")
