"""A connection to a SIENA service, shared by any number of clients of one process."""

import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Self

from eventservices.errors import MalformedError
from eventservices.lifetime import Opening
from eventservices.natslink import NatsLink
from eventservices.natsstamp import header_of
from eventservices.siena import codec
from eventservices.siena.advertising import Semantics
from eventservices.siena.agreement import Agreement
from eventservices.siena.client import Client
from eventservices.siena.control import Control
from eventservices.siena.counters import Aside, Counters
from eventservices.siena.intake import Intake
from eventservices.siena.notification import Notification
from eventservices.siena.observation import Observation
from eventservices.siena.options import Options
from eventservices.siena.peers import Peers
from eventservices.siena.seen import Observer, Seen
from eventservices.siena.subjects import Subjects
from eventservices.siena.values import MAX_NAME_CHARACTERS
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor
from eventservices.text import check_text

log = logging.getLogger(__name__)


class Connection(Opening):
    """Connects to a SIENA service through any of its access points.

    Args:
        urls: Addresses of NATS servers of one cluster, tried in order. Where there are several, a
            small connection to each proves that subscriptions are active there.
        service: Name of the service.
        index: Attribute by which the broker preselects; the same for all clients of the service.
        semantics: What decides on delivery; the same for all clients of the service.
        options: Times and bounds.
        name: Identifier of the connection, never used twice; a random one where None.

    Raises:
        MalformedError: `service`, `index` or `name` is not usable.

    Attributes:
        counters: What happened.
        agreement: What all clients of the service must agree on, and whether they do.
        aside: The last malformed messages.
    """

    def __init__(
        self,
        urls: Sequence[str],
        service: str,
        *,
        index: str | None = None,
        semantics: Semantics = Semantics.SUBSCRIPTION,
        options: Options | None = None,
        name: str | None = None,
    ) -> None:
        self.options = options or Options()
        self.name = check_text(name or secrets.token_hex(8), "a connection's name", 200)
        self.subjects = Subjects(service, index)
        self.counters = Counters()
        self.agreement = Agreement(self.subjects.index, Semantics(semantics), self.counters)
        self.aside = Aside(self.counters, self.options.kept_aside)
        self.link = NatsLink(urls, self.options.link)
        self.intake = Intake(self.link, self.counters, self.aside)
        self.control = Control(
            self.link,
            self.subjects,
            self.name,
            agreement=self.agreement,
            options=self.options,
            counters=self.counters,
            aside=self.aside,
        )
        self._clients: dict[str, Client] = {}
        self._suppressed_before = 0

    @property
    def service(self) -> str:
        """Name of the service."""
        return self.subjects.service

    @property
    def index(self) -> str | None:
        """Attribute by which the broker preselects; None for none."""
        return self.subjects.index

    @property
    def semantics(self) -> Semantics:
        """What decides on delivery."""
        return self.agreement.semantics

    @property
    def peers(self) -> Peers:
        """The other connections of the service."""
        return self.control.peers

    @property
    def suppressed(self) -> int:
        """Repeated notifications that were not delivered again, over all clients."""
        present = sum(client.suppressor.suppressed for client in self._clients.values())
        return self._suppressed_before + present

    @property
    def settled(self) -> bool:
        """Whether all subscriptions were proved to be active since the last (re)connection."""
        return self.link.connected and self.control.settled

    async def open(self) -> Self:
        """Connect and join the service.

        Raises:
            NotConnectedError: No access point answered.
            IndexMismatchError: The other clients use another index.
            SemanticsMismatchError: The other clients use other semantics.
        """
        try:
            await self.link.open()
            await self.control.open()
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Leave the service; the other clients are notified."""
        try:
            await self.control.close()
        finally:
            await self.link.close()

    def client(
        self,
        party: str,
        *,
        role: str = "",
        epoch: int | None = None,
        clock_us: Callable[[], int] | None = None,
        suppressor: Suppressor | None = None,
    ) -> Client:
        """Return a client, a party of the service, that uses this connection.

        Args:
            party: Its name, unique in the service; the origin of what it publishes.
            role: What it is, for observers; free text.
            epoch: See `Stamper`.
            clock_us: See `Stamper`.
            suppressor: That of a client at another access point which is the same party, so that
                each notification comes by one of them only; its own where None.

        Raises:
            MalformedError: The name is empty, too long or in use on this connection.
        """
        check_text(party, "a party's name", MAX_NAME_CHARACTERS)
        check_text(role, "a party's role", MAX_NAME_CHARACTERS, least=0)
        if party in self._clients:
            raise MalformedError(f"party {party!r} is on this connection already")
        client = Client(self, party, role, epoch=epoch, clock_us=clock_us, suppressor=suppressor)
        self._clients[party] = client
        return client

    def release(self, party: str) -> None:
        """Forget a client that was closed."""
        client = self._clients.pop(party, None)
        if client is not None:
            self._suppressed_before += client.suppressor.suppressed

    def observe(
        self, callback: Observer, *, own: bool = False, without_roles: Collection[str] = ()
    ) -> Callable[[], None]:
        """Report all subscriptions and advertisements to `callback`.

        The present ones, then each change.

        Args:
            callback: Called from the event loop; it must be quick.
            own: Whether those of this connection's clients belong to it.
            without_roles: Roles of clients that it is not reported of, e.g. that of federations'
                adapters.

        Returns:
            A function that ends it.
        """
        roles = frozenset(without_roles)

        def guarded(seen: Seen) -> None:
            if seen.role in roles:
                return
            try:
                callback(seen)
            except Exception:
                self.counters.callback_errors += 1
                log.exception("observer_failed")

        self.control.observe(guarded, own=own)
        return lambda: self.control.ignore(guarded)

    def observation(self, *, own: bool = False, without_roles: Collection[str] = ()) -> Observation:
        """Return the same as a stream, for `async with` and `async for`.

        Args:
            own: See `observe`.
            without_roles: See `observe`.
        """
        return Observation(
            lambda callback: self.observe(callback, own=own, without_roles=without_roles)
        )

    async def send(self, notification: Notification, stamp: Stamp) -> None:
        """Publish a notification under a stamp.

        Raises:
            IndexMismatchError: The other clients use another index.
            SemanticsMismatchError: The other clients use other semantics.
            TooLargeError: The broker accepts less.
            NotConnectedError: The broker is away and the buffer full.
        """
        self.control.check()
        subject = self.subjects.publish_to(notification.attributes)
        payload = codec.encode(notification)
        await self.link.publish(subject, payload, header_of(stamp), waits=False)
        self.counters.published += 1

    async def probe(self, *, shared: bool = False) -> float:
        """Prove a round trip to the broker.

        Returns:
            Its duration, seconds.

        Raises:
            NotConnectedError: Nothing came back in time; the NATS client is then replaced.
            RefusedError: The server refuses a subscription.
        """
        return await self.link.probe(shared=shared)
