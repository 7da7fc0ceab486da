"""Supplier admins and consumer admins: they make the proxies that clients connect to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, Literal, Protocol, Self, TypeVar, overload

from eventservices.cns.consumer import ProxyPushSupplier, StructuredProxyPushSupplier
from eventservices.cns.core import Core
from eventservices.cns.errors import DisconnectedError, ProxyNotFoundError
from eventservices.cns.event_type import EventType, change_set
from eventservices.cns.options import ClientType, InterFilterGroupOperator
from eventservices.cns.supplier import ProxyPushConsumer, StructuredProxyPushConsumer

if TYPE_CHECKING:
    from eventservices.cns.channel import EventChannel

_NOTHING: frozenset[EventType] = frozenset()


class Proxy(Protocol):
    """What admins ask of the proxies that they make."""

    async def destroy(self) -> None:
        """End the proxy, telling its client."""


P = TypeVar("P", bound=Proxy)


class Admin(ABC, Generic[P]):
    """What admins of both sides have in common: an id, proxies, and an end.

    Args:
        core: The channel's inside.
        channel: The channel.
        admin_id: Unique within the channel; the default admin's is 0.
        operator: How its filters and those of its proxies work together.

    Attributes:
        my_channel: The channel.
        my_id: Unique within the channel.
        my_operator: See above.
    """

    def __init__(
        self,
        core: Core,
        channel: "EventChannel",
        admin_id: int,
        operator: InterFilterGroupOperator,
    ) -> None:
        self.my_channel = channel
        self.my_id = admin_id
        self.my_operator = operator
        self._core = core
        self._proxies: dict[int, P] = {}
        self._next_id = 1
        self._destroyed = False

    def forget(self, proxy_id: int) -> None:
        """Drop a proxy that ended."""
        self._proxies.pop(proxy_id, None)

    async def destroy(self) -> None:
        """End the admin and its proxies, telling their clients; harmless when repeated."""
        if self._destroyed:
            return
        self._destroyed = True
        for proxy in tuple(self._proxies.values()):
            await proxy.destroy()
        self._withdraw()
        await self._core.membership.tell_changes()

    @abstractmethod
    def _withdraw(self) -> None:
        """Leave the channel, and take back what was offered or subscribed to here."""

    def _add(self, make: Callable[[Core, Self, int], P]) -> P:
        proxy = self._proxies[self._next_id] = make(self._core, self, self._next_id)
        self._next_id += 1
        return proxy

    def _find(self, proxy_id: int) -> P:
        try:
            return self._proxies[proxy_id]
        except KeyError:
            raise ProxyNotFoundError(f"there is no proxy {proxy_id}") from None

    def _check_alive(self) -> None:
        if self._destroyed:
            raise DisconnectedError(f"{type(self).__name__} {self.my_id} was destroyed")


class SupplierAdmin(Admin[ProxyPushConsumer | StructuredProxyPushConsumer]):
    """Makes proxies for suppliers; its offers count besides theirs.

    Args:
        core: The channel's inside.
        channel: The channel.
        admin_id: Unique within the channel; the default admin's is 0.
        operator: Kept for the filters of its side.

    Attributes:
        my_channel: The channel.
        my_id: Unique within the channel.
        my_operator: How its filters and those of its proxies work together.
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
        """Ids of its proxies."""
        return tuple(self._proxies)

    @overload
    def obtain_notification_push_consumer(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPushConsumer: ...

    @overload
    def obtain_notification_push_consumer(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPushConsumer: ...

    def obtain_notification_push_consumer(
        self, client_type: ClientType
    ) -> ProxyPushConsumer | StructuredProxyPushConsumer:
        """Return a new proxy for a supplier.

        Raises:
            AdminLimitExceededError: The channel has `max_suppliers`.
            DisconnectedError: The admin was destroyed.
        """
        self._check_alive()
        self._core.admit_supplier()
        make = (
            ProxyPushConsumer
            if client_type is ClientType.ANY_EVENT
            else StructuredProxyPushConsumer
        )
        return self._add(make)

    def get_proxy_consumer(self, proxy_id: int) -> ProxyPushConsumer | StructuredProxyPushConsumer:
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
        """Say which event types its suppliers will push; errors as of the proxies'."""
        self._check_alive()
        offers = change_set(self.offers, added, removed)
        self._core.membership.put_offers(self, offers)
        self.offers = offers
        await self._core.membership.tell_changes()

    def _withdraw(self) -> None:
        self.my_channel.forget_supplieradmin(self.my_id)
        self._core.membership.put_offers(self, _NOTHING)


class ConsumerAdmin(Admin[ProxyPushSupplier | StructuredProxyPushSupplier]):
    """Makes proxies for consumers; its subscriptions work together with theirs.

    Args:
        core: The channel's inside.
        channel: The channel.
        admin_id: Unique within the channel; the default admin's is 0.
        operator: With `AND_OP`, an event must suit admin and proxy; with `OR_OP`, one of them. A
            side without subscriptions is left out of account.

    Attributes:
        my_channel: The channel.
        my_id: Unique within the channel.
        my_operator: See above.
        subscriptions: Event types subscribed to here.
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

    @property
    def push_suppliers(self) -> tuple[int, ...]:
        """Ids of its proxies."""
        return tuple(self._proxies)

    @overload
    def obtain_notification_push_supplier(
        self, client_type: Literal[ClientType.ANY_EVENT]
    ) -> ProxyPushSupplier: ...

    @overload
    def obtain_notification_push_supplier(
        self, client_type: Literal[ClientType.STRUCTURED_EVENT]
    ) -> StructuredProxyPushSupplier: ...

    def obtain_notification_push_supplier(
        self, client_type: ClientType
    ) -> ProxyPushSupplier | StructuredProxyPushSupplier:
        """Return a new proxy for a consumer.

        Raises:
            AdminLimitExceededError: The channel has `max_consumers`.
            DisconnectedError: The admin was destroyed.
        """
        self._check_alive()
        self._core.admit_consumer()
        make = (
            ProxyPushSupplier
            if client_type is ClientType.ANY_EVENT
            else StructuredProxyPushSupplier
        )
        return self._add(make)

    def get_proxy_supplier(self, proxy_id: int) -> ProxyPushSupplier | StructuredProxyPushSupplier:
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
        """Say which event types its consumers want; errors as of the proxies'."""
        self._check_alive()
        subscriptions = change_set(self.subscriptions, added, removed)
        self._core.membership.put_subscriptions(self, subscriptions)
        self.subscriptions = subscriptions
        for proxy in self._proxies.values():
            proxy.refresh()
        await self._core.membership.tell_changes()

    def _withdraw(self) -> None:
        self.my_channel.forget_consumeradmin(self.my_id)
        self._core.membership.put_subscriptions(self, _NOTHING)
