"""Membership: which replicas a gateway has, and which messages are whose, by the newest view."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple

from fes.adapter.replicas.replica_link import Line
from fes.link.messages import Publish, PublishControl, View
from fes.link.rendezvous import owner

FORGET_S = 60.0
"""How long no member of the newest view is linked before a view of a lower number is accepted.

Numbers restart where the replicas lost their journal.
"""


class Place(NamedTuple):
    """The replica that a message is for.

    Attributes:
        leads: Whether it is for the replica that leads; otherwise for the one that serves the
            origin.
        origin: Publisher of the event in it; "" of a request.
    """

    leads: bool
    origin: str


REQUEST = Place(leads=True, origin="")


class Views:
    """Keeps the newest view.

    Attributes:
        newest: The newest view; None where no replica has sent one.
    """

    def __init__(self) -> None:
        self.newest: View | None = None
        self._confirmed: View | None = None
        self._linked_s = 0.0

    def take(self, view: View, now_s: float) -> None:
        """Accept a replica's view, if it is newer.

        Args:
            view: The view.
            now_s: Monotonic clock, seconds.
        """
        if self.newest is None or view.number > self.newest.number:
            self.newest, self._linked_s = view, now_s

    def confirm(self, views: Iterable[View | None]) -> None:
        """Accept views of replicas whose desired states are here.

        Replicas not named in them are gone.
        """
        for view in views:
            if view is not None and self.newest is not None and view.number == self.newest.number:
                self._confirmed = view

    def see(self, linked: Mapping[str, Line], now_s: float) -> bool:
        """Check which replicas are linked; return whether an older view was accepted for that.

        Args:
            linked: Line by replica.
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
        """Replicas whose desired state counts; None where all count, since there is no view."""
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
        """Return whether a replica may order a publication.

        The leader may order anything, also for an origin of another replica: it has custody of
        persistent events, and those that their event service does not keep have no row.
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
