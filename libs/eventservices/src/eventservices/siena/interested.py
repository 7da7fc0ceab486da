"""An interested party: what a client receives, and how it subscribes to it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, overload

from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.siena.covering import covers, covers_pattern
from eventservices.siena.declarations import Declarations, all_done
from eventservices.siena.outlet import Outlet
from eventservices.siena.pattern import Pattern
from eventservices.siena.recognise import Recogniser
from eventservices.siena.stream import Stream
from eventservices.siena.subscription import (
    Delivery,
    PatternMatch,
    PatternSubscription,
    Subscription,
    end,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventservices.siena.carrier import Carrier
    from eventservices.siena.filters import Filter
    from eventservices.siena.subscription import (
        AnySubscription,
        Callback,
        PatternCallback,
    )
    from eventservices.suppress import Suppressor


class InterestedParty:
    """The receiving side of a client.

    Args:
        connection: Carries it.
        party: Its name, unique in the service.
        role: What it is, for observers.
        suppressor: Remembers what was delivered.
        clock_us: Returns the time of what has no stamp, microseconds since 1970 UTC.

    Attributes:
        party: Its name.
        role: What it is.
        suppressor: Remembers what was delivered, and counts what was suppressed.
    """

    def __init__(
        self,
        connection: Carrier,
        party: str,
        role: str,
        *,
        suppressor: Suppressor,
        clock_us: Callable[[], int],
    ) -> None:
        self.party = party
        self.role = role
        self.suppressor = suppressor
        self._connection = connection
        options = connection.options
        self._outlet = Outlet(suppressor, connection.counters, options.held, options.held_keep)
        self._declarations = Declarations(connection, party, role)
        self._subscriptions: dict[AnySubscription, None] = {}
        self._clock_us = clock_us
        self._closed = False

    @property
    def subscriptions(self) -> tuple[AnySubscription, ...]:
        """What the party subscribes to, oldest first."""
        return tuple(self._subscriptions)

    @property
    def suspended(self) -> bool:
        """Whether deliveries are kept until the party resumes."""
        return self._outlet.suspended

    @property
    def held(self) -> int:
        """Deliveries that wait for the party to resume."""
        return self._outlet.held

    @overload
    async def subscribe(self, what: Filter, callback: Callback) -> Subscription: ...

    @overload
    async def subscribe(self, what: Pattern, callback: PatternCallback) -> PatternSubscription: ...

    async def subscribe(
        self, what: Filter | Pattern, callback: Callable[..., None]
    ) -> AnySubscription:
        """Subscribe, and return when that is active at every server.

        Args:
            what: Which notifications, or which sequences of them.
            callback: Called from the event loop for each of them, once; it must be quick.

        Returns:
            The subscription; its `unproved` names servers that did not confirm in time.

        Raises:
            NotConnectedError: The broker is away; nothing was subscribed.
            IndexMismatchError: The other clients of the service use another index.
            SemanticsMismatchError: They use other semantics.
            RefusedError: The connection declares as much as it may.
        """
        self._check_open()
        subscription = self._make(what, callback)
        self._declarations.check(len(subscription.parts))
        self._subscriptions[subscription] = None
        try:
            await self._declarations.subscribe(subscription)
        except BaseException:
            await self._undo(subscription)
            raise
        return subscription

    @overload
    def stream(self, what: Filter) -> Stream[Delivery]: ...

    @overload
    def stream(self, what: Pattern) -> Stream[PatternMatch]: ...

    def stream(self, what: Filter | Pattern) -> Stream[Delivery] | Stream[PatternMatch]:
        """Return a stream of what a filter or pattern selects; `async with` subscribes.

        Args:
            what: Which notifications, or which sequences of them.
        """
        options, drop = self._connection.options, self._count_stream_drop
        if isinstance(what, Pattern):
            return Stream[PatternMatch](
                partial(self.subscribe, what), self.cancel, options=options, drop=drop
            )
        return Stream[Delivery](
            lambda put: self.subscribe(what, lambda event, stamp: put(Delivery(event, stamp))),
            self.cancel,
            options=options,
            drop=drop,
        )

    async def unsubscribe(self, what: Filter | Pattern) -> list[AnySubscription]:
        """End all subscriptions of this party that a filter covers, or a pattern covers.

        An empty filter ends all, to patterns too; another filter ends none to a pattern.

        Returns:
            Those that ended; their callbacks are called no more.

        Raises:
            NotConnectedError: The broker is away. They have ended here, and the others learn it
                by the next digest.
        """
        ended = [each for each in self._subscriptions if _ends(what, each)]
        await all_done([self.cancel(each) for each in ended])
        return ended

    async def cancel(self, subscription: AnySubscription) -> None:
        """End one subscription only; harmless where it has ended."""
        if subscription not in self._subscriptions:
            return
        del self._subscriptions[subscription]
        end(subscription)
        await self._declarations.unsubscribe(subscription)

    def suspend(self) -> None:
        """Keep what is delivered to this party, within bounds, until it resumes.

        At the bound (`Options.held`) the oldest goes, or the newest where `held_keep` specifies it;
        it is counted (`held_dropped`). Subscriptions stay active, and patterns are recognised.
        """
        self._outlet.suspended = True

    def resume(self) -> int:
        """Deliver what was kept, in its order, and from now on what comes.

        Returns:
            Deliveries made; none for subscriptions that have ended meanwhile.
        """
        return self._outlet.resume()

    def _make(self, what: Filter | Pattern, callback: Callable[..., None]) -> AnySubscription:
        if not isinstance(what, Pattern):
            return self._part(what, callback)
        made = PatternSubscription(self.party, what, callback)
        recogniser = Recogniser(
            what,
            kept=self._connection.options.pattern_kept,
            clock_us=self._clock_us,
            tell=lambda found: self._outlet.give([made], (found,)),
            drop=self._count_pattern_drop,
        )
        made.parts = tuple(self._part(each, recogniser.take, part=True) for each in what.filters)
        return made

    def _part(self, what: Filter, callback: Callback, *, part: bool = False) -> Subscription:
        subject = self._connection.subjects.subscribe_to(what)
        return Subscription(self.party, what, callback, subject, self._outlet, part)

    def _count_pattern_drop(self) -> None:
        self._connection.counters.pattern_dropped += 1

    def _count_stream_drop(self) -> None:
        self._connection.counters.stream_dropped += 1

    async def _undo(self, subscription: AnySubscription) -> None:
        try:
            await self.cancel(subscription)
        except EventServiceError:
            return  # the error that made us undo it is raised already

    def _check_open(self) -> None:
        if self._closed:
            raise NotConnectedError(f"client {self.party!r} is closed")


def _ends(what: Filter | Pattern, subscription: AnySubscription) -> bool:
    """Return whether unsubscribing from a filter or pattern ends a subscription."""
    if isinstance(subscription, PatternSubscription):
        if isinstance(what, Pattern):
            return covers_pattern(what, subscription.pattern)
        return not what.constraints
    return not isinstance(what, Pattern) and covers(what, subscription.filter)
