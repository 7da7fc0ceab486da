"""Waiting for parts to be ready, as they report themselves over HTTP."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping

import httpx
from serving.loopback import async_client

POLL_S = 0.1
ANSWER_S = 2.0
FEW, SHOWN = 3, 200
"""Most faults that are reported, and most characters of each."""


def within(seconds: float) -> Callable[[], bool]:
    """Return a function that returns True for so many seconds from now."""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() < deadline


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a function returns True."""
    while True:
        if holds():
            return
        await asyncio.sleep(POLL_S)


class Patience:
    """Decides whether to continue: for so many seconds after the last progress.

    Args:
        seconds: How long.
        clock_s: A clock that only goes forward, seconds.
    """

    def __init__(self, seconds: float, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock_s = clock_s
        self._since_s = clock_s()
        self._fewest: int | None = None

    def __call__(self) -> bool:
        """Return whether to continue."""
        return self._clock_s() - self._since_s < self._seconds

    def faults(self, count: int) -> None:
        """Note how many faults keep a part from being ready: fewer than ever is progress."""
        if self._fewest is None or count < self._fewest:
            self._fewest, self._since_s = count, self._clock_s()


def _nobody(_: int) -> None: ...


async def answers(
    url: str, goes_on: Callable[[], bool], faults: Callable[[int], None] = _nobody
) -> str:
    """Wait until an address answers with status 200.

    Args:
        url: The address.
        goes_on: Returns whether to continue waiting.
        faults: Called each time with the number of faults that the part reports.

    Returns:
        "" once it does; its last answer where waiting was abandoned.
    """
    said = f"no answer from {url}"
    async with async_client(ANSWER_S) as client:
        while goes_on():
            try:
                answer = await client.get(url)
            except httpx.HTTPError as error:
                said = f"no answer from {url}: {error or type(error).__name__}"
            else:
                if answer.status_code == httpx.codes.OK:
                    return ""
                said, count = _plainly(answer)
                faults(count)
            await asyncio.sleep(POLL_S)
    return said


async def faults_at(client: httpx.AsyncClient, url: str) -> dict[str, str] | str:
    """Return reasons by part that is not ready in a process of gateways; text where it is silent.

    Args:
        client: Sends the query.
        url: Address of the process's readiness.
    """
    try:
        answer = await client.get(url)
        if answer.status_code == httpx.codes.OK:
            return {}
        told = answer.json()["faults"]
    except httpx.HTTPError as error:
        return f"no answer from {url}: {error or type(error).__name__}"
    except (ValueError, KeyError, TypeError):
        return f"{url} is not a gateway's"
    return {str(part): str(why) for part, why in told.items()}


def _plainly(answer: httpx.Response) -> tuple[str, int]:
    """Return the faults that keep a part from being ready, as one line, and their number."""
    try:
        found = {str(part): str(why) for part, why in answer.json()["faults"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"answers {answer.status_code}: {answer.text[:SHOWN]}", 1
    shown = [f"{part}: {why}"[:SHOWN] for part, why in list(found.items())[:FEW]]
    more = len(found) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else ""), len(found)


async def proved(
    adapters: Mapping[str, Collection[str]], since_us: int, goes_on: Callable[[], bool]
) -> bool:
    """Wait until adapters have proved a round trip of their own after a moment.

    Args:
        adapters: Event services of the adapters, by the address of their gateway.
        since_us: The moment, wall clock, microseconds since 1970 UTC.
        goes_on: Returns whether to continue waiting.

    Returns:
        Whether all did; False where waiting was abandoned.
    """
    waiting = dict(adapters)
    async with async_client(ANSWER_S) as client:
        while waiting and goes_on():
            for url, services in list(waiting.items()):
                if await _have_proved(client, url, services, since_us):
                    del waiting[url]
            await asyncio.sleep(POLL_S if waiting else 0)
    return not waiting


async def _have_proved(
    client: httpx.AsyncClient, url: str, services: Collection[str], since_us: int
) -> bool:
    try:
        listed = (await client.get(f"{url}/v1/adapters")).raise_for_status().json()
    except httpx.HTTPError:
        return False
    return all(one["proved_us"] > since_us for one in listed if one["service"] in services)
