"""Consumer admins: they make the proxies to which consumers connect."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from eventservices.cns.admin import PULL, PUSH, Admin, Made
from eventservices.cns.core import Core
from eventservices.cns.event_type import EventType, change_set
from eventservices.cns.options import ClientType, InterFilterGroupOperator
from eventservices.cns.pull_suppliers import (
    ProxyPullSupplier,
    SequenceProxyPullSupplier,
    StructuredProxyPullSupplier,
)
from eventservices.cns.push_suppliers import (
    ProxyPushSupplier,
    SequenceProxyPushSupplier,
    StructuredProxyPushSupplier,
)

if TYPE_CHECKING:
    from eventservices.cns.channel import EventChannel
    from eventservices.cns.mapping import EventMapping

_NOTHING: frozenset[EventType] = frozenset()

AnyPushSupplier: TypeAlias = (
    ProxyPushSupplier | StructuredProxyPushSupplier | SequenceProxyPushSupplier
)
AnyPullSupplier: TypeAlias = (
    ProxyPullSupplier | StructuredProxyPullSupplier | SequenceProxyPullSupplier
)
AnyProxySupplier: TypeAlias = AnyPushSupplier | AnyPullSupplier

_PUSH_SUPPLIERS: dict[ClientType, Callable[..., AnyPushSupplier]] = {
    ClientType.ANY_EVENT: ProxyPushSupplier,
    ClientType.STRUCTURED_EVENT: StructuredProxyPushSupplier,
    ClientType.SEQUENCE_EVENT: SequenceProxyPushSupplier,
}
_PULL_SUPPLIERS: dict[ClientType, Callable[..., AnyPullSupplier]] = {
    ClientType.ANY_EVENT: ProxyPullSupplier,
    ClientType.STRUCTURED_EVENT: StructuredProxyPullSupplier,
    ClientType.SEQUENCE_EVENT: SequenceProxyPullSupplier,
}


class ConsumerAdmin(Admin[AnyProxySupplier]):
    """Makes proxies for consumers; its subscriptions and filters work together with theirs.

    Args:
        core: The channel's inside.
        channel: The channel.
        admin_id: Unique within the channel; the default admin's is 0.
        operator: With `AND_OP`, an event must suit admin and proxy; with `OR_OP`, one of them. A
            side without subscriptions and filters is left out of account.

    Attributes:
        subscriptions: Event types subscribed to here.
        priority_filter: Sets the priority of events at proxies that have no such filter.
        lifetime_filter: The same for their timeout.
    """

    def __init__(
        self,
        core: Core,
        channel: "EventChannel",
        admin_id: int,
        operator: InterFilterGroupOperator,
    ) -> None:
        super().__init__(core, channel, admin_id, operator)
        self.subscriptions = _NOTHING
        self.priority_filter: EventMapping | None = None
        self.lifetime_filter: EventMapping | None = None

    @property
    def push_suppliers(self) -> tuple[int, ...]:
        """Ids of its proxies for push consumers."""
        return self._ids(*PUSH)

    @property
    def pull_suppliers(self) -> tuple[int, ...]:
        """Ids of its proxies for pull consumers."""
        return self._ids(*PULL)

    @overload
    def obtain_notification_push_supplier(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPushSupplier: ...

    @overload
    def obtain_notification_push_supplier(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPushSupplier: ...

    @overload
    def obtain_notification_push_supplier(
        self, client_type: Literal[ClientType.SEQUENCE_EVENT]
    ) -> SequenceProxyPushSupplier: ...

    def obtain_notification_push_supplier(self, client_type: ClientType) -> AnyPushSupplier:
        """Return a new proxy for a consumer that is pushed to.

        Raises:
            AdminLimitExceededError: The channel has as many consumers as it may.
            DisconnectedError: The admin was destroyed.
        """
        return self._obtain(_PUSH_SUPPLIERS[client_type])

    @overload
    def obtain_notification_pull_supplier(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPullSupplier: ...

    @overload
    def obtain_notification_pull_supplier(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPullSupplier: ...

    @overload
    def obtain_notification_pull_supplier(
        self, client_type: Literal[ClientType.SEQUENCE_EVENT]
    ) -> SequenceProxyPullSupplier: ...

    def obtain_notification_pull_supplier(self, client_type: ClientType) -> AnyPullSupplier:
        """Return a new proxy for a consumer that pulls; errors as for one that is pushed to."""
        return self._obtain(_PULL_SUPPLIERS[client_type])

    def get_proxy_supplier(self, proxy_id: int) -> AnyProxySupplier:
        """Return a proxy.

        Raises:
            ProxyNotFoundError: There is none of that id.
        """
        return self._find(proxy_id)

    async def subscription_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Declare which event types its consumers subscribe to; errors as of the proxies."""
        self._check_alive()
        subscriptions = change_set(self.subscriptions, added, removed)
        self._core.membership.put_subscriptions(self, subscriptions | self.filtered_types)
        self.subscriptions = subscriptions
        self._refresh_proxies()
        await self._core.membership.tell_changes()

    def _obtain(self, make: Callable[..., Made]) -> Made:
        self._check_alive()
        self._core.admit_consumer()
        return self._add(make)

    def _withdraw(self) -> None:
        self.my_channel.forget_consumeradmin(self.my_id)
        self._core.membership.put_subscriptions(self, _NOTHING)

    def _filters_changed(self) -> None:
        wanted = self.subscriptions | self.filtered_types
        self._core.membership.put_subscriptions(self, wanted)
        self._refresh_proxies()
        self._core.membership.tell_soon()

    def _refresh_proxies(self) -> None:
        for proxy in self._proxies.values():
            proxy.refresh()
