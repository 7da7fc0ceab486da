"""Consumers join a domain with one call each.

Source:
    OMG Management of Event Domains 1.0: the `connect_…_consumer` operations of `EventDomain`.
"""

from typing import Final

from eventservices.cns.domains.core import DomainCore
from eventservices.cns.domains.errors import ChannelNotFoundError
from eventservices.cns.domains.joining import Joining
from eventservices.cns.domains.records import MemberID
from eventservices.cns.options import ClientType
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

_ANY_PUSH: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.ANY_EVENT
    ),
    ProxyPushSupplier.connect_any_push_consumer,
)
_STRUCTURED_PUSH: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.STRUCTURED_EVENT
    ),
    StructuredProxyPushSupplier.connect_structured_push_consumer,
)
_SEQUENCE_PUSH: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.SEQUENCE_EVENT
    ),
    SequenceProxyPushSupplier.connect_sequence_push_consumer,
)
_ANY_PULL: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.ANY_EVENT
    ),
    ProxyPullSupplier.connect_any_pull_consumer,
)
_STRUCTURED_PULL: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.STRUCTURED_EVENT
    ),
    StructuredProxyPullSupplier.connect_structured_pull_consumer,
)
_SEQUENCE_PULL: Final = Joining(
    lambda channel: channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.SEQUENCE_EVENT
    ),
    SequenceProxyPullSupplier.connect_sequence_pull_consumer,
)


class ConsumerOperations(DomainCore):
    """Connect a consumer to the default consumer channel, or to the one that is named.

    Each operation obtains a proxy of the channel's default admin and connects the consumer to it.
    A consumer is what the proxy of that form accepts. With `repetitions` it receives an event again
    that comes by a second route or goes round; without, each identity once. All raise

    * `ChannelNotFoundError`: there is no default channel, none of that id, or its broker is away;
    * `InterfaceError`: the consumer lacks an operation;
    * `AdminLimitExceededError`: the channel has as many consumers as it may;
    * `NotConnectedError`: the broker did not confirm in time.
    """

    async def connect_push_consumer(
        self, consumer: object, *, repetitions: bool = False
    ) -> ProxyPushSupplier:
        """Connect a push consumer of Any events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _ANY_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_push_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> ProxyPushSupplier:
        """Connect a push consumer of Any events to a channel."""
        channel = self._channel(member_id)
        return await _ANY_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_structured_push_consumer(
        self, consumer: object, *, repetitions: bool = False
    ) -> StructuredProxyPushSupplier:
        """Connect a push consumer of structured events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _STRUCTURED_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_structured_push_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> StructuredProxyPushSupplier:
        """Connect a push consumer of structured events to a channel."""
        channel = self._channel(member_id)
        return await _STRUCTURED_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_sequence_push_consumer(
        self, consumer: object, *, repetitions: bool = False
    ) -> SequenceProxyPushSupplier:
        """Connect a push consumer of batches of structured events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _SEQUENCE_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_sequence_push_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> SequenceProxyPushSupplier:
        """Connect a push consumer of batches of structured events to a channel."""
        channel = self._channel(member_id)
        return await _SEQUENCE_PUSH.join(channel, consumer, repetitions=repetitions)

    async def connect_pull_consumer(
        self, consumer: object = None, *, repetitions: bool = False
    ) -> ProxyPullSupplier:
        """Connect a pull consumer of Any events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _ANY_PULL.join(channel, consumer, repetitions=repetitions)

    async def connect_pull_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> ProxyPullSupplier:
        """Connect a pull consumer of Any events to a channel."""
        channel = self._channel(member_id)
        return await _ANY_PULL.join(channel, consumer, repetitions=repetitions)

    async def connect_structured_pull_consumer(
        self, consumer: object = None, *, repetitions: bool = False
    ) -> StructuredProxyPullSupplier:
        """Connect a pull consumer of structured events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _STRUCTURED_PULL.join(channel, consumer, repetitions=repetitions)

    async def connect_structured_pull_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> StructuredProxyPullSupplier:
        """Connect a pull consumer of structured events to a channel."""
        channel = self._channel(member_id)
        return await _STRUCTURED_PULL.join(channel, consumer, repetitions=repetitions)

    async def connect_sequence_pull_consumer(
        self, consumer: object = None, *, repetitions: bool = False
    ) -> SequenceProxyPullSupplier:
        """Connect a pull consumer of batches of structured events to the default channel."""
        channel = self._channel(self._default_consumer())
        return await _SEQUENCE_PULL.join(channel, consumer, repetitions=repetitions)

    async def connect_sequence_pull_consumer_with_id(
        self, consumer: object, member_id: MemberID, *, repetitions: bool = False
    ) -> SequenceProxyPullSupplier:
        """Connect a pull consumer of batches of structured events to a channel."""
        channel = self._channel(member_id)
        return await _SEQUENCE_PULL.join(channel, consumer, repetitions=repetitions)

    def _default_consumer(self) -> MemberID:
        found = self._state.record.default_consumer
        if found is None:
            raise ChannelNotFoundError("the domain has no default consumer channel")
        return found
