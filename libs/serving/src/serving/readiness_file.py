"""A sign of life for health checks: a file that is fresh while a component is ready."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

PERIOD_S = 1.0

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def sign_of_life(path: Path | None, ready: Callable[[], bool]) -> AsyncIterator[None]:
    """Touch a file every second while a component is ready, and remove it when it is not.

    A process that hangs touches nothing, so that the file grows old; a health check reads its age,
    and needs no port.

    Args:
        path: The file; None for no sign.
        ready: Returns whether the component is ready.
    """
    if path is None:
        yield
        return
    signing = asyncio.create_task(_sign(path, ready), name="sign of life")
    try:
        yield
    finally:
        signing.cancel()
        await asyncio.gather(signing, return_exceptions=True)
        _give(path, ready=False)


async def _sign(path: Path, ready: Callable[[], bool]) -> None:
    while True:
        _give(path, ready=ready())
        await asyncio.sleep(PERIOD_S)


def _give(path: Path, *, ready: bool) -> None:
    try:
        if ready:
            path.touch()
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("sign_not_given", extra={"path": str(path), "error": str(error)})
