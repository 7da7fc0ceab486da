"""What one party declares, natively and to the others: subscriptions and advertisements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventservices.errors import EventServiceError, RefusedError
from eventservices.siena.presence import Kind
from eventservices.siena.text import format_pattern

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from eventservices.siena.carrier import Declaring
    from eventservices.siena.filters import Filter
    from eventservices.siena.subscription import AnySubscription, Subscription


class Declarations:
    """Makes the declarations of one party known.

    Args:
        connection: Carries it.
        party: Its name.
        role: What it is, for observers.
    """

    def __init__(self, connection: Declaring, party: str, role: str) -> None:
        self._connection = connection
        self._party = party
        self._role = role
        self._told: set[Subscription] = set()

    def check(self, wanted: int) -> None:
        """Fail where nothing, or not that much more, may be declared.

        Raises:
            IndexMismatchError: The other clients of the service use another index.
            SemanticsMismatchError: They use other semantics.
            RefusedError: The connection has as many declarations as it may have.
        """
        control = self._connection.control
        control.check()
        most = self._connection.options.max_declared
        if len(control.roster) + wanted > most:
            raise RefusedError(f"a connection declares at most {most} filters (max_declared)")

    async def subscribe(self, subscription: AnySubscription) -> None:
        """Put a active subscription at every server.

        Raises:
            NotConnectedError: The broker is away; parts of it may have been made.
        """
        control, intake = self._connection.control, self._connection.intake
        pattern = _pattern_of(subscription)
        fresh = False
        for part in subscription.parts:
            fresh |= await intake.add(part)
            if part.ended:  # meanwhile, before it was made
                await intake.remove(part)
                return
            self._told.add(part)
            entry = control.roster.add(
                Kind.SUBSCRIPTION, self._party, self._role, part.filter, pattern
            )
            if entry is not None:
                await control.announce(added=[entry])
        if fresh or not control.settled:
            await self._prove(subscription.parts)

    async def unsubscribe(self, subscription: AnySubscription) -> None:
        """End a subscription; harmless for parts that were never made.

        Raises:
            NotConnectedError: The broker is away. It has ended here, and the others learn it by the
                next digest.
        """
        pattern = _pattern_of(subscription)
        await all_done([self._end(part, pattern) for part in subscription.parts])

    async def advertise(self, what: Filter) -> None:
        """Notify other connections of an advertisement."""
        control = self._connection.control
        entry = control.roster.add(Kind.ADVERTISEMENT, self._party, self._role, what)
        if entry is not None:
            await control.announce(added=[entry])

    async def unadvertise(self, what: Filter) -> None:
        """Notify other connections that an advertisement was withdrawn."""
        control = self._connection.control
        entry = control.roster.remove(Kind.ADVERTISEMENT, self._party, what)
        if entry is not None:
            await control.announce(removed=[entry])

    async def _prove(self, parts: Sequence[Subscription]) -> None:
        unproved = await self._connection.control.proof.wait()
        self._connection.counters.unproved += len(unproved)
        for part in parts:
            part.unproved = unproved
            if not unproved:  # else the next one on this subject is proved again
                self._connection.intake.in_force(part)

    async def _end(self, part: Subscription, pattern: str) -> None:
        try:
            if part in self._told:
                self._told.remove(part)
                await self._untell(part, pattern)
        finally:
            await self._connection.intake.remove(part)

    async def _untell(self, part: Subscription, pattern: str) -> None:
        control = self._connection.control
        entry = control.roster.remove(Kind.SUBSCRIPTION, self._party, part.filter, pattern)
        if entry is not None:
            await control.announce(removed=[entry])


def _pattern_of(subscription: AnySubscription) -> str:
    pattern = getattr(subscription, "pattern", None)
    return format_pattern(pattern) if pattern is not None else ""


async def all_done(steps: Sequence[Coroutine[None, None, None]]) -> None:
    """Do every step, also where one before it failed; raise the first error at the end."""
    failed: EventServiceError | None = None
    for step in steps:
        try:
            await step
        except EventServiceError as error:
            failed = failed or error
    if failed is not None:
        raise failed
