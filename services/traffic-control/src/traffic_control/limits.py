"""Keeps every monitor's limit active: sets, changes, renews and withdraws limits.

A limit is a subscription of the city at the monitor's event service, with a lease. A change
subscribes the new limit before it unsubscribes the old one: no offender passes in between.

Source:
    FES thesis, section 5.8.3; design, section 11.
"""

import asyncio
import logging
import time
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from eventservices.ending import ended

from traffic_control.city import Monitor
from traffic_control.command import Action, Command
from traffic_control.commander import Commander
from traffic_control.errors import AwayError, UnknownError
from traffic_control.history import Left
from traffic_control.limit import check_limit, limit_text
from traffic_control.post import Post

log = logging.getLogger(__name__)

TICK_S: Final = 0.25
RETRY_S: Final = 5.0
"""Time after which a limit that is not active is requested again; twice as long each time, up to
the time between two renewals."""

AT_ONCE: Final = 16
"""Most monitors whose limit is requested and not known to be active: every gateway of the city
receives every request, and those of a large city would process all of them for longer than an
outcome is waited for."""

SWITCH_S: Final = 3.0
"""Longest wait for a new limit before the old one is withdrawn anyway."""


class Limits:
    """The limits of all monitors.

    Args:
        monitors: The monitors, each with its limit at the start.
        commander: Sends the commands.
        renew_s: Time between two renewals, seconds.
        left: Limits that an earlier traffic-control of the run left active, by monitor; they
            continue.
    """

    def __init__(
        self,
        monitors: Iterable[Monitor],
        commander: Commander,
        renew_s: float,
        left: Mapping[str, Left] | None = None,
    ) -> None:
        self._commander = commander
        self._renew_s = renew_s
        self._tasks: set[asyncio.Task[None]] = set()
        found = left or {}
        self._posts = {one.name: _post(one, found.get(one.name)) for one in monitors}

    @property
    def posts(self) -> tuple[Post, ...]:
        """Every monitor's state, in order."""
        return tuple(self._posts.values())

    @property
    def faults(self) -> dict[str, str]:
        """Monitors of which no limit was active since the start."""
        return {
            post.monitor.name: f"limit {limit_text(post.limit)} km/h is not applied yet"
            for post in self.posts
            if not post.was_applied
        }

    async def change(self, name: str, limit_kmh: float) -> tuple[str, ...]:
        """Change a monitor's limit; `posts` shows the outcome.

        Args:
            name: Name of the monitor.
            limit_kmh: The new limit.

        Returns:
            Ids of the requests that were made; the old limit is withdrawn by another one, later.

        Raises:
            UnknownError: There is no such monitor.
            InputError: The limit is out of range.
            BusyError: Too many changes are in progress.
            AwayError: SIENA cannot be reached now; nothing was changed.
        """
        post = self._posts.get(name)
        if post is None:
            raise UnknownError(name)
        limit = check_limit(limit_kmh)
        async with post.turn:
            post.check_free()
            command = await self._set(post, limit)
        log.info("limit_changed", extra={"monitor": name, "limit_kmh": limit})
        return (command.request,)

    async def run(self) -> None:
        """Set, renew and withdraw limits as they are due, until cancelled."""
        while True:
            try:
                await self._attend_all()
            except AwayError as error:
                log.warning("siena_takes_nothing", extra={"error": str(error)})
            await asyncio.sleep(TICK_S)

    async def withdraw(self, within_s: float) -> None:
        """Withdraw every limit and wait for the outcomes, no longer than `within_s`."""
        try:
            for post in self.posts:
                async with post.turn:
                    for limit in tuple(post.held):
                        await self._unset(post, limit)
        except AwayError as error:
            log.warning("limits_not_withdrawn", extra={"error": str(error)})
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within_s)
        await self.close()

    async def close(self) -> None:
        """Stop waiting for outcomes; idempotent."""
        await ended(*self._tasks)

    async def _attend_all(self) -> None:
        """Attend to each monitor, the one first whose limit was requested longest ago.

        Only requests in progress count against `AT_ONCE`. A monitor that waits for its next attempt
        does not: otherwise those whose gateways are away would keep all others from starting.
        """
        asking = sum(post.asks for post in self.posts)
        for post in sorted(self.posts, key=lambda post: post.asked_s or 0.0):
            if post.applied_us is None and not post.asks and self._is_due(post):
                if asking >= AT_ONCE:
                    continue
                asking += 1
            async with post.turn:
                await self._attend(post)

    def _is_due(self, post: Post) -> bool:
        return post.is_due(time.monotonic(), self._renew_s, RETRY_S)

    async def _attend(self, post: Post) -> None:
        if self._is_due(post):
            if post.applied_us is None:
                await self._set(post, post.limit)
            else:
                await self._renew(post)
        elif post.superseded and not post.under_way:
            await self._unset_superseded(post)

    async def _set(self, post: Post, limit: float) -> Command:
        action: Action = "renew" if limit in post.held else "subscribe"
        command = await self._commander.give(action, post.monitor, limit)
        post.asked(command, time.monotonic())
        self._spawn(post, self._settle(post, command))
        return command

    async def _renew(self, post: Post) -> None:
        command = await self._commander.give("renew", post.monitor, post.limit)
        post.asked(command, time.monotonic())
        self._spawn(post, self._look(post, command))

    async def _unset(self, post: Post, limit: float) -> None:
        command = await self._commander.give("unsubscribe", post.monitor, limit)
        post.withdrawn(command)
        self._spawn(post, self._learn(post, command))

    async def _try_unset(self, post: Post) -> None:
        try:
            await self._unset_superseded(post)
        except AwayError as error:  # `run` tries again
            log.warning("limit_not_withdrawn", extra={"error": str(error)})

    async def _unset_superseded(self, post: Post) -> None:
        for limit in post.superseded:
            await self._unset(post, limit)

    async def _settle(self, post: Post, command: Command) -> None:
        """Wait until a new limit is active, and then withdraw the others."""
        async with asyncio.TaskGroup() as group:
            learning = group.create_task(self._learn(post, command))
            await asyncio.wait([learning], timeout=SWITCH_S)
            async with post.turn:
                if post.limit == command.limit:
                    await self._try_unset(post)

    async def _learn(self, post: Post, command: Command) -> None:
        post.learnt(command, await self._commander.learn(post.monitor, command))

    async def _look(self, post: Post, command: Command) -> None:
        post.learnt(command, await self._commander.look(post.monitor, command))

    def _spawn(self, post: Post, work: Coroutine[Any, Any, None]) -> None:
        post.under_way += 1
        task = asyncio.create_task(work, name=f"limit of {post.monitor.name}")
        self._tasks.add(task)

        def done(task: asyncio.Task[None]) -> None:
            post.under_way -= 1
            self._tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                log.error("command_failed", exc_info=task.exception())

        task.add_done_callback(done)


def _post(monitor: Monitor, left: Left | None) -> Post:
    if left is None:
        return Post(monitor, monitor.limit_kmh)
    held = sorted(left.held, key=lambda limit: left.held[limit])
    return Post(monitor, left.wanted, dict.fromkeys(held))
