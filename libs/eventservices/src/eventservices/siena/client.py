"""A client of a SIENA service: a party that publishes, subscribes and advertises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serving.clocks import wall_us

from eventservices import stamp as stamps
from eventservices.errors import NotConnectedError
from eventservices.lifetime import Closing
from eventservices.siena.advertising import Advertised, Semantics
from eventservices.siena.declarations import all_done
from eventservices.siena.interested import InterestedParty
from eventservices.siena.notification import Notification
from eventservices.stamp import Stamp, Stamper
from eventservices.suppress import Suppressor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventservices.siena.carrier import Carrier
    from eventservices.siena.filters import Filter
    from eventservices.siena.values import Value


class Client(InterestedParty, Closing):
    """One party. `Connection.client` makes it; many may share a connection.

    Args:
        connection: Carries it.
        party: Its name, unique in the service.
        role: What it is, for observers.
        epoch: See `Stamper`.
        clock_us: See `Stamper`.
        suppressor: Shared with another client, where both are one party at two access points.

    Attributes:
        suppressor: Remembers what was delivered, and counts what was suppressed.
    """

    def __init__(
        self,
        connection: Carrier,
        party: str,
        role: str = "",
        *,
        epoch: int | None = None,
        clock_us: Callable[[], int] | None = None,
        suppressor: Suppressor | None = None,
    ) -> None:
        options = connection.options
        super().__init__(
            connection,
            party,
            role,
            suppressor=suppressor or Suppressor(options.suppress_window, options.suppress_origins),
            clock_us=clock_us or wall_us,
        )
        self._stamper = Stamper(party, connection.service, epoch=epoch, clock_us=clock_us)
        self._advertised = Advertised()

    @property
    def advertisements(self) -> tuple[Filter, ...]:
        """What the party advertises, oldest first."""
        return self._advertised.filters

    async def publish(
        self,
        notification: Notification | Mapping[str, Value],
        *,
        time_us: int | None = None,
        stamp: Stamp | None = None,
    ) -> Stamp:
        """Publish a notification; what one client publishes arrives in that order.

        Under advertisement-based semantics, one that no advertisement of this party covers goes to
        nobody and is counted (`unadvertised`).

        Args:
            notification: Attributes with their values.
            time_us: The producer's time, microseconds since 1970 UTC; now where None.
            stamp: A stamp made before, where an event is published again; else None.

        Returns:
            The stamp that it carries.

        Raises:
            MalformedError: A name or value is not SIENA's; nothing was sent.
            TooLargeError: The broker accepts less; nothing was sent.
            NotConnectedError: The broker is away, or does not read and the buffer is full, or the
                client is closed; nothing was sent.
            IndexMismatchError: The other clients of the service use another index.
            SemanticsMismatchError: They use other semantics.
        """
        self._check_open()
        if not isinstance(notification, Notification):
            notification = Notification(notification)
        used = self._stamper.next(time_us) if stamp is None else stamps.check(stamp)
        if self._may_send(notification):
            await self._connection.send(notification, used)
        else:
            self._connection.counters.unadvertised += 1
        return used

    async def advertise(self, what: Filter) -> None:
        """Announce what this party is going to publish.

        Observers are notified; under advertisement-based semantics only what is covered is
        delivered.

        Args:
            what: Constraints on one name are alternatives here.

        Raises:
            NotConnectedError: The broker is away; the others learn it by the next digest.
            IndexMismatchError: The other clients of the service use another index.
            SemanticsMismatchError: They use other semantics.
            RefusedError: The connection declares as much as it may.
        """
        self._check_open()
        self._declarations.check(what not in self._advertised)
        if self._advertised.add(what):
            await self._declarations.advertise(what)

    async def unadvertise(self, what: Filter) -> list[Filter]:
        """Withdraw all advertisements of this party that `what` covers; an empty filter, all.

        Returns:
            Those that were withdrawn.

        Raises:
            NotConnectedError: The broker is away. They are withdrawn here, and the others learn it
                by the next digest.
        """
        ended = self._advertised.covered_by(what)
        await all_done([self._withdraw(each) for each in ended])
        return ended

    async def close(self) -> None:
        """End all subscriptions and advertisements; closing twice is harmless."""
        if self._closed:
            return
        self._closed = True
        ending = [self.cancel(each) for each in self.subscriptions]
        ending += [self._withdraw(each) for each in self.advertisements]
        try:
            await all_done(ending)
        except NotConnectedError:
            return  # the others learn it by the next digest, or have lost us already
        finally:
            self._connection.release(self.party)

    def _may_send(self, notification: Notification) -> bool:
        if self._connection.semantics is Semantics.SUBSCRIPTION:
            return True
        return self._advertised.cover(notification.attributes)

    async def _withdraw(self, advertised: Filter) -> None:
        if self._advertised.remove(advertised):
            await self._declarations.unadvertise(advertised)
