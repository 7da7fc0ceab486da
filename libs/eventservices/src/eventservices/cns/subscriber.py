"""What a consumer subscribes to: event types and filters; how it is notified of offers."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from eventservices.cns.calls import call_client
from eventservices.cns.core import Core
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.event_type import ALL_TYPES, EventType, change_set
from eventservices.cns.gate import Accepts, gate
from eventservices.cns.options import ObtainInfoMode
from eventservices.cns.proxy import Proxy

if TYPE_CHECKING:
    from eventservices.cns.consumer_admin import ConsumerAdmin

_NOTHING: frozenset[EventType] = frozenset()


class Subscriber(Proxy):
    """Has subscriptions and filters, its own and its admin's.

    Without any it receives every event. If the consumer has `offer_change(added, removed)`, that is
    called when the union of all suppliers' offers changes; what it raises is logged.

    Args:
        core: The channel's inside.
        admin: The admin that made it.
        proxy_id: Unique within the admin.

    Attributes:
        my_admin: The admin that made it.
        subscriptions: Event types that its consumer subscribes to.
    """

    def __init__(self, core: Core, admin: "ConsumerAdmin", proxy_id: int) -> None:
        super().__init__(core, proxy_id, admin.qos)
        self.my_admin = admin
        self.subscriptions = _NOTHING
        self._offer_change: Callable[..., None] | None = None
        self._announced = True
        self._updates = True
        self._accepts: Accepts | None = None
        self._open_gate()

    async def subscription_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Declare which event types the consumer subscribes to from now on, and which no longer.

        Patterns are compared literally; see `event_type`. When the last one is removed, and there
        is no filter, the consumer gets every event again.

        Raises:
            InvalidEventTypeError: One of them is not valid; nothing was changed.
            AdminLimitExceededError: There would be too many; nothing was changed.
            DisconnectedError: The proxy was destroyed.
        """
        self._check_alive()
        before = self.subscriptions
        self.subscriptions = change_set(before, added, removed)
        try:
            self.refresh()
        except AdminLimitExceededError:
            self.subscriptions = before
            raise
        await self._core.membership.tell_changes()

    def obtain_offered_types(self, mode: ObtainInfoMode) -> tuple[EventType, ...]:
        """Return what suppliers offer, and switch the consumer's updates on or off.

        Returns:
            The union of all suppliers' types, sorted; empty in the `NONE_NOW` modes.
        """
        self._updates = mode.updates
        return self._core.membership.table.offers if mode.all_now else ()

    def refresh(self) -> None:
        """Apply the subscriptions and filters of proxy and admin as they are now.

        Raises:
            AdminLimitExceededError: The client would subscribe to too many types; nothing was
                changed.
        """
        self._core.membership.put_subscriptions(self, self._to_tell())
        self._open_gate()

    def _open_gate(self) -> None:
        admin = self.my_admin
        self._accepts = gate(
            admin, self, admin.my_operator, admin.subscriptions, self.subscriptions
        )

    def _to_tell(self) -> frozenset[EventType]:
        if not self._announced or self._destroyed:
            return _NOTHING
        wanted = self.subscriptions | self.filtered_types
        admin = self.my_admin
        everything = self.connected and not (admin.subscriptions or admin.filtered_types)
        return wanted or (frozenset({ALL_TYPES}) if everything else _NOTHING)

    def _filters_changed(self) -> None:
        self._open_gate()
        if not self._destroyed:
            self.refresh()
            self._core.membership.tell_soon()

    def _on_offers(self, added: tuple[EventType, ...], removed: tuple[EventType, ...]) -> None:
        if self._updates:
            call_client(self._offer_change, added, removed)
