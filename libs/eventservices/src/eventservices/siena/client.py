"""A client of a SIENA service: a party that publishes, subscribes and advertises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventservices import stamp as stamps
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.siena.covering import covers, covers_advertisement
from eventservices.siena.intake import Callback, Subscription
from eventservices.siena.matching import compile_filter
from eventservices.siena.notification import Notification
from eventservices.siena.presence import Kind
from eventservices.stamp import Stamp, Stamper
from eventservices.suppress import Suppressor

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from eventservices.siena.connection import Connection
    from eventservices.siena.filters import Filter
    from eventservices.siena.values import Value


class Client:
    """One party. `Connection.client` makes it; many may share a connection.

    Args:
        connection: Carries it.
        party: Its name, unique in the service.
        role: What it is, for observers.
        epoch: See `Stamper`.
        clock_us: See `Stamper`.

    Attributes:
        suppressor: Remembers what was delivered, and counts what was suppressed.
    """

    def __init__(
        self,
        connection: Connection,
        party: str,
        role: str = "",
        *,
        epoch: int | None = None,
        clock_us: Callable[[], int] | None = None,
    ) -> None:
        self._connection = connection
        self.party = party
        self.role = role
        options = connection.options
        self.suppressor = Suppressor(options.suppress_window, options.suppress_origins)
        self._stamper = Stamper(party, connection.service, epoch=epoch, clock_us=clock_us)
        self._subscriptions: dict[Subscription, None] = {}
        self._advertisements: dict[Filter, None] = {}
        self._closed = False

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """What the party subscribes to, oldest first."""
        return tuple(self._subscriptions)

    @property
    def advertisements(self) -> tuple[Filter, ...]:
        """What the party advertises, oldest first."""
        return tuple(self._advertisements)

    async def publish(
        self,
        notification: Notification | Mapping[str, Value],
        *,
        time_us: int | None = None,
        stamp: Stamp | None = None,
    ) -> Stamp:
        """Publish a notification; what one client publishes arrives in that order.

        Args:
            notification: Attributes with their values.
            time_us: The producer's time, microseconds since 1970 UTC; now where None.
            stamp: A stamp made before, where an event is published again; else None.

        Returns:
            The stamp that it carries.

        Raises:
            MalformedError: A name or value is not SIENA's; nothing was sent.
            TooLargeError: The broker takes less; nothing was sent.
            NotConnectedError: The broker is away and the buffer full, or the client closed.
            IndexMismatchError: The other clients of the service use another index.
        """
        self._check_open()
        if not isinstance(notification, Notification):
            notification = Notification(notification)
        used = self._stamper.next(time_us) if stamp is None else stamps.check(stamp)
        await self._connection.send(notification, used)
        return used

    async def subscribe(self, what: Filter, callback: Callback) -> Subscription:
        """Subscribe, and return when that is in force at every server.

        Args:
            what: Which notifications.
            callback: Called from the event loop for each of them, once; it must be quick.

        Returns:
            The subscription; its `unproved` names servers that did not confirm in time.

        Raises:
            NotConnectedError: The broker is away; nothing was subscribed.
            IndexMismatchError: The other clients of the service use another index.
        """
        self._check_open()
        connection = self._connection
        connection.control.check()
        subject = connection.subjects.subscribe_to(what)
        subscription = Subscription(
            self.party, what, callback, subject, compile_filter(what), self.suppressor
        )
        self._subscriptions[subscription] = None
        try:
            await self._put_in_force(subscription)
        except BaseException:
            await self._undo(subscription)
            raise
        return subscription

    async def unsubscribe(self, what: Filter) -> list[Subscription]:
        """End all subscriptions of this party that a filter covers; an empty filter ends all.

        Returns:
            Those that ended; their callbacks are called no more.

        Raises:
            NotConnectedError: The broker is away. They have ended here, and the others learn it
                by the next digest.
        """
        ended = [each for each in self._subscriptions if covers(what, each.filter)]
        await _all_done([self.cancel(each) for each in ended])
        return ended

    async def cancel(self, subscription: Subscription) -> None:
        """End one subscription only; harmless where it has ended."""
        if subscription not in self._subscriptions:
            return
        del self._subscriptions[subscription]
        control = self._connection.control
        entry = control.roster.remove(Kind.SUBSCRIPTION, self.party, subscription.filter)
        try:
            if entry is not None:
                await control.announce(removed=[entry])
        finally:
            await self._connection.intake.remove(subscription)

    async def advertise(self, what: Filter) -> None:
        """Announce what this party is going to publish; for observers, as delivery ignores it.

        Args:
            what: Constraints on one name are alternatives here.

        Raises:
            NotConnectedError: The broker is away; the others learn it by the next digest.
            IndexMismatchError: The other clients of the service use another index.
        """
        self._check_open()
        control = self._connection.control
        control.check()
        if what in self._advertisements:
            return
        self._advertisements[what] = None
        entry = control.roster.add(Kind.ADVERTISEMENT, self.party, self.role, what)
        if entry is not None:
            await control.announce(added=[entry])

    async def unadvertise(self, what: Filter) -> list[Filter]:
        """Withdraw all advertisements of this party that `what` covers; an empty filter, all.

        Returns:
            Those that were withdrawn.

        Raises:
            NotConnectedError: The broker is away. They are withdrawn here, and the others learn it
                by the next digest.
        """
        ended = [
            each
            for each in self._advertisements
            if not what.constraints or covers_advertisement(what, each)
        ]
        await _all_done([self._withdraw(each) for each in ended])
        return ended

    async def close(self) -> None:
        """End all subscriptions and advertisements; closing twice is harmless."""
        if self._closed:
            return
        self._closed = True
        ending = [self.cancel(each) for each in self.subscriptions]
        ending += [self._withdraw(each) for each in self.advertisements]
        try:
            await _all_done(ending)
        except NotConnectedError:
            return  # the others learn it by the next digest, or have lost us already
        finally:
            self._connection.release(self.party)

    async def _put_in_force(self, subscription: Subscription) -> None:
        control, intake = self._connection.control, self._connection.intake
        fresh = await intake.add(subscription)
        entry = control.roster.add(Kind.SUBSCRIPTION, self.party, self.role, subscription.filter)
        if entry is not None:
            await control.announce(added=[entry])
        if fresh or not control.settled:
            subscription.unproved = await control.proof.wait()
            self._connection.counters.unproved += len(subscription.unproved)
            if not subscription.unproved:  # else the next one on this subject is proved again
                intake.in_force(subscription)

    async def _withdraw(self, advertised: Filter) -> None:
        if advertised not in self._advertisements:
            return
        del self._advertisements[advertised]
        control = self._connection.control
        entry = control.roster.remove(Kind.ADVERTISEMENT, self.party, advertised)
        if entry is not None:
            await control.announce(removed=[entry])

    async def _undo(self, subscription: Subscription) -> None:
        try:
            await self.cancel(subscription)
        except EventServiceError:
            return  # the error that made us undo it says enough

    def _check_open(self) -> None:
        if self._closed:
            raise NotConnectedError(f"client {self.party!r} is closed")


async def _all_done(steps: Sequence[Coroutine[None, None, None]]) -> None:
    """Do every step, also where one before it failed; raise the first error at the end."""
    failed: EventServiceError | None = None
    for step in steps:
        try:
            await step
        except EventServiceError as error:
            failed = failed or error
    if failed is not None:
        raise failed
