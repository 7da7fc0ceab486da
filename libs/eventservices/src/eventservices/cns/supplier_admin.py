"""Supplier admins: they make the proxies to which suppliers connect."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from eventservices.cns.admin import PULL, PUSH, Admin, Made
from eventservices.cns.core import Core
from eventservices.cns.event_type import EventType, change_set
from eventservices.cns.options import ClientType, InterFilterGroupOperator
from eventservices.cns.pull_consumers import (
    ProxyPullConsumer,
    SequenceProxyPullConsumer,
    StructuredProxyPullConsumer,
)
from eventservices.cns.push_consumers import (
    ProxyPushConsumer,
    SequenceProxyPushConsumer,
    StructuredProxyPushConsumer,
)

if TYPE_CHECKING:
    from eventservices.cns.channel import EventChannel

_NOTHING: frozenset[EventType] = frozenset()

AnyPushConsumer: TypeAlias = (
    ProxyPushConsumer | StructuredProxyPushConsumer | SequenceProxyPushConsumer
)
AnyPullConsumer: TypeAlias = (
    ProxyPullConsumer | StructuredProxyPullConsumer | SequenceProxyPullConsumer
)
AnyProxyConsumer: TypeAlias = AnyPushConsumer | AnyPullConsumer

_PUSH_CONSUMERS: dict[ClientType, Callable[..., AnyPushConsumer]] = {
    ClientType.ANY_EVENT: ProxyPushConsumer,
    ClientType.STRUCTURED_EVENT: StructuredProxyPushConsumer,
    ClientType.SEQUENCE_EVENT: SequenceProxyPushConsumer,
}
_PULL_CONSUMERS: dict[ClientType, Callable[..., AnyPullConsumer]] = {
    ClientType.ANY_EVENT: ProxyPullConsumer,
    ClientType.STRUCTURED_EVENT: StructuredProxyPullConsumer,
    ClientType.SEQUENCE_EVENT: SequenceProxyPullConsumer,
}


class SupplierAdmin(Admin[AnyProxyConsumer]):
    """Makes proxies for suppliers; its offers count besides theirs, its filters with theirs.

    Args:
        core: The channel's inside.
        channel: The channel.
        admin_id: Unique within the channel; the default admin's is 0.
        operator: With `AND_OP`, an event must pass its filters and the proxy's; with `OR_OP`, one
            of them. A side without filters is left out of account.

    Attributes:
        offers: Event types offered here.
    """

    def __init__(
        self,
        core: Core,
        channel: "EventChannel",
        admin_id: int,
        operator: InterFilterGroupOperator,
    ) -> None:
        super().__init__(core, channel, admin_id, operator)
        self.offers = _NOTHING

    @property
    def push_consumers(self) -> tuple[int, ...]:
        """Ids of its proxies for push suppliers."""
        return self._ids(*PUSH)

    @property
    def pull_consumers(self) -> tuple[int, ...]:
        """Ids of its proxies for pull suppliers."""
        return self._ids(*PULL)

    @overload
    def obtain_notification_push_consumer(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPushConsumer: ...

    @overload
    def obtain_notification_push_consumer(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPushConsumer: ...

    @overload
    def obtain_notification_push_consumer(
        self, client_type: Literal[ClientType.SEQUENCE_EVENT]
    ) -> SequenceProxyPushConsumer: ...

    def obtain_notification_push_consumer(self, client_type: ClientType) -> AnyPushConsumer:
        """Return a new proxy for a supplier that pushes.

        Raises:
            AdminLimitExceededError: The channel has as many suppliers as it may.
            DisconnectedError: The admin was destroyed.
        """
        return self._obtain(_PUSH_CONSUMERS[client_type])

    @overload
    def obtain_notification_pull_consumer(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPullConsumer: ...

    @overload
    def obtain_notification_pull_consumer(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPullConsumer: ...

    @overload
    def obtain_notification_pull_consumer(
        self, client_type: Literal[ClientType.SEQUENCE_EVENT]
    ) -> SequenceProxyPullConsumer: ...

    def obtain_notification_pull_consumer(self, client_type: ClientType) -> AnyPullConsumer:
        """Return a new proxy for a supplier that is pulled from; errors as for one that pushes."""
        return self._obtain(_PULL_CONSUMERS[client_type])

    def get_proxy_consumer(self, proxy_id: int) -> AnyProxyConsumer:
        """Return a proxy.

        Raises:
            ProxyNotFoundError: There is none of that id.
        """
        return self._find(proxy_id)

    async def offer_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Declare which event types its suppliers offer; errors as of the proxies."""
        self._check_alive()
        offers = change_set(self.offers, added, removed)
        self._core.membership.put_offers(self, offers)
        self.offers = offers
        await self._core.membership.tell_changes()

    def _obtain(self, make: Callable[..., Made]) -> Made:
        self._check_alive()
        self._core.admit_supplier()
        return self._add(make)

    def _withdraw(self) -> None:
        self.my_channel.forget_supplieradmin(self.my_id)
        self._core.membership.put_offers(self, _NOTHING)

    def _filters_changed(self) -> None:
        for proxy in self._proxies.values():
            proxy.refresh()
