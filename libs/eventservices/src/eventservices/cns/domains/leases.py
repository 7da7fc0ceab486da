"""Clients that joined a domain from elsewhere: each is a lease that it renews. No I/O."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from eventservices.cns.domains.records import MemberID
from eventservices.cns.errors import AdminLimitExceededError, NotFoundError

MOST_CLIENTS: Final = 10_000
"""Most clients of a domain that are known at a time."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client of a domain.

    Attributes:
        client_id: Counts from 0, never used again.
        name: Its own name.
        role: What it is, e.g. `structured_push_consumer`.
        member_id: The channel that it is connected to.
        lease_s: How long it is known unless it renews, seconds.
    """

    client_id: int
    name: str
    role: str
    member_id: MemberID
    lease_s: float


class ClientNotFoundError(NotFoundError):
    """Raised when no client of that id is known; its lease may be over."""


class Leases:
    """Keeps account of a domain's clients.

    Attributes:
        forgotten: Clients whose lease was over.
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self._next = 0
        self._clients: OrderedDict[int, tuple[Client, float]] = OrderedDict()

    def add(
        self, name: str, role: str, member_id: MemberID, lease_s: float, now_s: float
    ) -> Client:
        """Record a client.

        Args:
            name: Its own name.
            role: What it is.
            member_id: Its channel.
            lease_s: Seconds for which it is known unless it renews.
            now_s: Monotonic time, seconds.

        Raises:
            AdminLimitExceededError: There are `MOST_CLIENTS`.
        """
        self.sweep(now_s)
        if len(self._clients) >= MOST_CLIENTS:
            raise AdminLimitExceededError("MaxClients", MOST_CLIENTS)
        client = Client(self._next, name, role, member_id, lease_s)
        self._next += 1
        self._clients[client.client_id] = (client, now_s + lease_s)
        return client

    def renew(self, client_id: int, now_s: float) -> Client:
        """Begin a client's lease again.

        Raises:
            ClientNotFoundError: It is not known, or no more.
        """
        self.sweep(now_s)
        if client_id not in self._clients:
            raise ClientNotFoundError(f"there is no client {client_id}; its lease may be over")
        client, _ = self._clients[client_id]
        self._clients[client_id] = (client, now_s + client.lease_s)
        return client

    def remove(self, client_id: int) -> None:
        """Forget a client that left; idempotent."""
        self._clients.pop(client_id, None)

    def forget_member(self, member_id: MemberID) -> None:
        """Forget the clients of a channel that was removed."""
        gone = [key for key, (client, _) in self._clients.items() if client.member_id == member_id]
        for client_id in gone:
            del self._clients[client_id]

    def sweep(self, now_s: float) -> None:
        """Forget the clients whose lease is over."""
        over = [key for key, (_, until_s) in self._clients.items() if until_s <= now_s]
        for client_id in over:
            del self._clients[client_id]
        self.forgotten += len(over)

    def known(self, now_s: float) -> tuple[Client, ...]:
        """Return the clients whose lease runs, in the order in which they came."""
        self.sweep(now_s)
        return tuple(client for client, _ in self._clients.values())
