"""Learns from a monitor's gateway when a command became active."""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import httpx
import msgspec

from traffic_control.city import Monitor
from traffic_control.command import Command
from traffic_control.endpoints import Endpoints
from traffic_control.errors import UNREADABLE

log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 0.02
MOST_PAUSE_S: Final = 2.0
PAUSE_GROWTH: Final = 2.0
"""Factor between two pauses: a busy gateway is queried less often the longer it needs."""

TIMEOUT_S: Final = 2.0
MOST_WAITS: Final = 6
"""How often the time for an outcome restarts, since something happened."""

AT_ONCE: Final = 8
"""Most gateways queried at the same time."""


class Step(msgspec.Struct, frozen=True):
    """One thing that a gateway did with a request; see its REST interface."""

    decision: str
    service: str
    wall_us: int
    detail: str = ""


class _Outcome(msgspec.Struct, frozen=True):
    steps: list[Step]


class Confirmer:
    """Queries gateways for the outcomes of commands.

    Args:
        endpoints: Addresses of the gateways.
        http: Client for the queries; the caller closes it.
    """

    def __init__(self, endpoints: Endpoints, http: httpx.AsyncClient) -> None:
        self.asked = 0
        self._endpoints = endpoints
        self._http = http
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def once(self, monitor: Monitor, command: Command) -> int | None:
        """Return when a command became active; None where no gateway reports that now."""
        steps = await self._steps(monitor, command.request)
        return in_force_us(steps, monitor.destination, command)

    async def within(self, monitor: Monitor, command: Command, seconds: float) -> int | None:
        """Return when a command became active; None where that was not learnt in time.

        The time restarts with each further step that the gateway reports, at most `MOST_WAITS`
        times: so the city waits for a busy gateway that makes progress, and does not send the
        request again. A query that has no answer yet when the time is over is awaited, at most
        `TIMEOUT_S`: `httpx` never frees the place of a request that is cancelled while it connects.
        """
        pause_s, known = FIRST_PAUSE_S, 0
        last_s = time.monotonic() + MOST_WAITS * seconds
        end_s = time.monotonic() + seconds
        while True:
            steps = await self._steps(monitor, command.request)
            found = in_force_us(steps, monitor.destination, command)
            if found is not None:
                return found
            if len(steps) > known:
                known, end_s = len(steps), min(last_s, time.monotonic() + seconds)
            if _is_refused(steps) or time.monotonic() + pause_s > end_s:
                return None
            await asyncio.sleep(pause_s)
            pause_s = min(MOST_PAUSE_S, pause_s * PAUSE_GROWTH)

    async def _steps(self, monitor: Monitor, request: str) -> list[Step]:
        steps: list[Step] = []
        for gateway in monitor.gateways:
            url = self._endpoints.url(gateway)
            if url is not None:
                steps += await self._ask(f"{url}/v1/requests/{quote(request, safe='/')}")
        return steps

    async def _ask(self, url: str) -> list[Step]:
        async with self._turn:
            self.asked += 1
            try:
                answer = await self._http.get(url, timeout=TIMEOUT_S)
                if answer.status_code != httpx.codes.OK:
                    return []
                return msgspec.json.decode(answer.content, type=_Outcome).steps
            except (httpx.HTTPError, httpx.InvalidURL, *UNREADABLE) as error:
                log.debug("gateway_not_asked", extra={"url": url, "error": repr(error)})
                return []


def in_force_us(steps: Sequence[Step], destination: str, command: Command) -> int | None:
    """Return when a command became active, wall clock, microseconds since 1970 UTC.

    A subscription is active when it is applied at the destination. An unsubscription is active when
    the gateway accepts it: from then on the gateway forwards nothing, though the native
    subscription may last a moment longer.

    Returns:
        None where the steps do not show it.
    """
    for step in steps:
        if step.decision == "applied" and step.service == destination:
            return step.wall_us
        if step.decision == "accepted" and command.action == "unsubscribe":
            return step.wall_us
    return None


def _is_refused(steps: Sequence[Step]) -> bool:
    refused = next((step for step in steps if step.decision == "refused"), None)
    if refused is not None:
        log.warning("request_refused", extra={"reason": refused.detail})
    return refused is not None
