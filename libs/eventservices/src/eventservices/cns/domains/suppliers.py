"""Suppliers join a domain with one call each.

Source:
    OMG Management of Event Domains 1.0: the `connect_…_supplier` operations of `EventDomain`.
"""

from typing import Final

from eventservices.cns.domains.core import DomainCore
from eventservices.cns.domains.errors import ChannelNotFoundError
from eventservices.cns.domains.joining import Joining
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

_ANY_PUSH: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.ANY_EVENT
    ),
    ProxyPushConsumer.connect_any_push_supplier,
)
_STRUCTURED_PUSH: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.STRUCTURED_EVENT
    ),
    StructuredProxyPushConsumer.connect_structured_push_supplier,
)
_SEQUENCE_PUSH: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.SEQUENCE_EVENT
    ),
    SequenceProxyPushConsumer.connect_sequence_push_supplier,
)
_ANY_PULL: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_pull_consumer(
        ClientType.ANY_EVENT
    ),
    ProxyPullConsumer.connect_any_pull_supplier,
)
_STRUCTURED_PULL: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_pull_consumer(
        ClientType.STRUCTURED_EVENT
    ),
    StructuredProxyPullConsumer.connect_structured_pull_supplier,
)
_SEQUENCE_PULL: Final = Joining(
    lambda channel: channel.default_supplier_admin.obtain_notification_pull_consumer(
        ClientType.SEQUENCE_EVENT
    ),
    SequenceProxyPullConsumer.connect_sequence_pull_supplier,
)


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
        channel = self._channel(self._default_supplier())
        return await _ANY_PUSH.join(channel, supplier)

    async def connect_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> ProxyPushConsumer:
        """Connect a push supplier of Any events to a channel."""
        return await _ANY_PUSH.join(self._channel(member_id), supplier)

    async def connect_structured_push_supplier(
        self, supplier: object = None
    ) -> StructuredProxyPushConsumer:
        """Connect a push supplier of structured events to the default channel."""
        channel = self._channel(self._default_supplier())
        return await _STRUCTURED_PUSH.join(channel, supplier)

    async def connect_structured_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> StructuredProxyPushConsumer:
        """Connect a push supplier of structured events to a channel."""
        return await _STRUCTURED_PUSH.join(self._channel(member_id), supplier)

    async def connect_sequence_push_supplier(
        self, supplier: object = None
    ) -> SequenceProxyPushConsumer:
        """Connect a push supplier of batches of structured events to the default channel."""
        channel = self._channel(self._default_supplier())
        return await _SEQUENCE_PUSH.join(channel, supplier)

    async def connect_sequence_push_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> SequenceProxyPushConsumer:
        """Connect a push supplier of batches of structured events to a channel."""
        return await _SEQUENCE_PUSH.join(self._channel(member_id), supplier)

    async def connect_pull_supplier(self, supplier: object) -> ProxyPullConsumer:
        """Connect a pull supplier of Any events to the default channel."""
        channel = self._channel(self._default_supplier())
        return await _ANY_PULL.join(channel, supplier)

    async def connect_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> ProxyPullConsumer:
        """Connect a pull supplier of Any events to a channel."""
        return await _ANY_PULL.join(self._channel(member_id), supplier)

    async def connect_structured_pull_supplier(
        self, supplier: object
    ) -> StructuredProxyPullConsumer:
        """Connect a pull supplier of structured events to the default channel."""
        channel = self._channel(self._default_supplier())
        return await _STRUCTURED_PULL.join(channel, supplier)

    async def connect_structured_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> StructuredProxyPullConsumer:
        """Connect a pull supplier of structured events to a channel."""
        return await _STRUCTURED_PULL.join(self._channel(member_id), supplier)

    async def connect_sequence_pull_supplier(self, supplier: object) -> SequenceProxyPullConsumer:
        """Connect a pull supplier of batches of structured events to the default channel."""
        channel = self._channel(self._default_supplier())
        return await _SEQUENCE_PULL.join(channel, supplier)

    async def connect_sequence_pull_supplier_with_id(
        self, supplier: object, member_id: MemberID
    ) -> SequenceProxyPullConsumer:
        """Connect a pull supplier of batches of structured events to a channel."""
        return await _SEQUENCE_PULL.join(self._channel(member_id), supplier)

    def _default_supplier(self) -> MemberID:
        found = self._state.record.default_supplier
        if found is None:
            raise ChannelNotFoundError("the domain has no default supplier channel")
        return found
