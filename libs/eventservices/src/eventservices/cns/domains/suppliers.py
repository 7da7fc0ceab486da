"""Suppliers join a domain with one call each.

Source:
    OMG Management of Event Domains 1.0: the `connect_…_supplier` operations of `EventDomain`.
"""

from eventservices.cns.domains.core import DomainCore
from eventservices.cns.domains.errors import ChannelNotFoundError
from eventservices.cns.domains.records import MemberID
from eventservices.cns.options import ClientType
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
from eventservices.cns.supplier_admin import SupplierAdmin


class SupplierOperations(DomainCore):
    """Connect a supplier to the default supplier channel, or to the one that is named.

    Each operation obtains a proxy of the channel's default admin and connects the supplier to it.
    A supplier is what the proxy of that form accepts. All raise

    * `ChannelNotFoundError`: there is no default channel, none of that id, or its broker is away;
    * `InterfaceError`: the supplier lacks an operation;
    * `AdminLimitExceededError`: the channel has as many suppliers as it may.
    """

    async def connect_push_supplier(self, supplier: object = None) -> ProxyPushConsumer:
        """Connect a push supplier of Any events to the default channel."""
        return await self.connect_push_supplier_with_id(supplier, self._default_supplier())

    async def connect_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> ProxyPushConsumer:
        """Connect a push supplier of Any events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
        await proxy.connect_any_push_supplier(supplier)
        return proxy

    async def connect_structured_push_supplier(
        self, supplier: object = None
    ) -> StructuredProxyPushConsumer:
        """Connect a push supplier of structured events to the default channel."""
        return await self.connect_structured_push_supplier_with_id(
            supplier, self._default_supplier()
        )

    async def connect_structured_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> StructuredProxyPushConsumer:
        """Connect a push supplier of structured events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        await proxy.connect_structured_push_supplier(supplier)
        return proxy

    async def connect_sequence_push_supplier(
        self, supplier: object = None
    ) -> SequenceProxyPushConsumer:
        """Connect a push supplier of batches of structured events to the default channel."""
        return await self.connect_sequence_push_supplier_with_id(supplier, self._default_supplier())

    async def connect_sequence_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> SequenceProxyPushConsumer:
        """Connect a push supplier of batches of structured events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_push_consumer(ClientType.SEQUENCE_EVENT)
        await proxy.connect_sequence_push_supplier(supplier)
        return proxy

    async def connect_pull_supplier(self, supplier: object) -> ProxyPullConsumer:
        """Connect a pull supplier of Any events to the default channel."""
        return await self.connect_pull_supplier_with_id(supplier, self._default_supplier())

    async def connect_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> ProxyPullConsumer:
        """Connect a pull supplier of Any events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)
        await proxy.connect_any_pull_supplier(supplier)
        return proxy

    async def connect_structured_pull_supplier(
        self, supplier: object
    ) -> StructuredProxyPullConsumer:
        """Connect a pull supplier of structured events to the default channel."""
        return await self.connect_structured_pull_supplier_with_id(
            supplier, self._default_supplier()
        )

    async def connect_structured_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> StructuredProxyPullConsumer:
        """Connect a pull supplier of structured events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_pull_consumer(ClientType.STRUCTURED_EVENT)
        await proxy.connect_structured_pull_supplier(supplier)
        return proxy

    async def connect_sequence_pull_supplier(self, supplier: object) -> SequenceProxyPullConsumer:
        """Connect a pull supplier of batches of structured events to the default channel."""
        return await self.connect_sequence_pull_supplier_with_id(supplier, self._default_supplier())

    async def connect_sequence_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> SequenceProxyPullConsumer:
        """Connect a pull supplier of batches of structured events to a channel."""
        admin = self._supplier_admin(member_id)
        proxy = admin.obtain_notification_pull_consumer(ClientType.SEQUENCE_EVENT)
        await proxy.connect_sequence_pull_supplier(supplier)
        return proxy

    def _default_supplier(self) -> MemberID:
        found = self._state.record.default_supplier
        if found is None:
            raise ChannelNotFoundError("the domain has no default supplier channel")
        return found

    def _supplier_admin(self, member_id: MemberID) -> SupplierAdmin:
        return self._channel(member_id).default_supplier_admin
