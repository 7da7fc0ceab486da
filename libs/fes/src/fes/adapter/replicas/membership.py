"""Which replicas of a gateway there are, and what is whose: the newest view decides."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple

from fes.adapter.replicas.replica_link import Line
from fes.link.messages import Publish, PublishControl, View
from fes.link.rendezvous import owner

FORGET_S = 60.0
"""How long none of the newest view's members is linked before an older number is believed.

Numbers restart where the replicas lost their journal.
"""


class Place(NamedTuple):
    """Whom a message is for.

    Attributes:
        leads: The replica that leads; otherwise the one that an origin's events belong to.
        origin: Publisher of the event in it; "" of a request.
    """

    leads: bool
    origin: str


REQUEST = Place(leads=True, origin="")


class Views:
    """Keeps the newest view.

    Attributes:
        newest: The newest view; None where no replica has told one.
    """

    def __init__(self) -> None:
        self.newest: View | None = None
        self._confirmed: View | None = None
        self._linked_s = 0.0

    def take(self, view: View, now_s: float) -> None:
        """Accept a view that a replica tells, if it is newer.

        Args:
            view: The view.
            now_s: Monotonic clock, seconds.
        """
        if self.newest is None or view.number > self.newest.number:
            self.newest, self._linked_s = view, now_s

    def confirm(self, views: Iterable[View | None]) -> None:
        """Accept what replicas told whose desired states are here: who is not named is gone."""
        for view in views:
            if view is not None and self.newest is not None and view.number == self.newest.number:
                self._confirmed = view

    def see(self, linked: Mapping[str, Line], now_s: float) -> bool:
        """Look at which replicas are linked; return whether another view is believed now.

        Args:
            linked: Replica to its line.
            now_s: Monotonic clock, seconds.
        """
        if self.newest is None or any(name in linked for name in self.newest.members):
            self._linked_s = now_s
            return False
        told = [line.view for line in linked.values() if line.view is not None]
        if not told or now_s - self._linked_s < FORGET_S:
            return False
        self.newest, self._confirmed = max(told, key=attrgetter("number")), None
        self._linked_s = now_s
        return True

    def forget(self) -> None:
        """Forget all views: there is a gateway without replicas now."""
        self.newest = self._confirmed = None

    @property
    def living(self) -> frozenset[str] | None:
        """Replicas whose wishes count; None where all do, as nobody said otherwise."""
        if self.newest is None or self._confirmed is None:
            return None
        return frozenset((*self._confirmed.members, *self.newest.members))

    def holder(self, place: Place) -> str | None:
        """Return the replica that a message is for; None where there is none."""
        view = self.newest
        if view is None or not view.members:
            return None
        if place.leads:
            return view.leader or None
        return owner(place.origin, view.members)

    def may_order(self, replica: str, order: Publish | PublishControl) -> bool:
        """Return whether something to publish may come from a replica.

        The leader may order anything: also of an origin of another replica, since persistent events
        are its own, and those that their event service does not keep have no row.
        """
        view = self.newest
        if view is None or replica == view.leader:
            return True
        if order.row:
            return False
        if isinstance(order, Publish):
            return self.holder(Place(leads=False, origin=order.stamp.origin)) == replica
        if not order.publication or not order.origin:
            return False
        return self.holder(Place(leads=False, origin=order.origin)) == replica
