"""A typed channel, as one client has it: proxies by interface.

Source:
    OMG Notification Service 1.1, `CosTypedNotifyChannelAdmin`. A call passes the channel as the
    structured event that the standard translates it to, so typed and untyped clients share it.
"""

from collections.abc import Mapping
from typing import Final

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.errors import InterfaceNotSupportedError, NoSuchImplementationError
from eventservices.cns.domains.typed.clients import (
    TypedProxyPullConsumer,
    TypedProxyPullSupplier,
    TypedProxyPushConsumer,
    TypedProxyPushSupplier,
)
from eventservices.cns.domains.typed.interfaces import Interface
from eventservices.cns.options import ClientType

_STRUCTURED: Final = ClientType.STRUCTURED_EVENT


class TypedChannel:
    """A channel that supports interfaces.

    Args:
        channel: The channel.
        member_id: Its identifier, which errors name.
        supported: Names of the interfaces that it supports.
        declared: All interfaces that are declared, by name.

    Attributes:
        channel: The channel, for untyped clients.
        supported: Names of the interfaces that it supports.
    """

    def __init__(
        self,
        channel: EventChannel,
        member_id: int,
        supported: tuple[str, ...],
        declared: Mapping[str, Interface],
    ) -> None:
        self.channel = channel
        self.supported = supported
        self._member_id = member_id
        self._declared = declared

    def obtain_typed_push_consumer(self, interface: str) -> TypedProxyPushConsumer:
        """Return a proxy that a supplier calls.

        Raises:
            NoSuchImplementationError: No such interface is declared.
            InterfaceNotSupportedError: The channel does not support it.
        """
        found = self._interface(interface)
        admin = self.channel.default_supplier_admin
        return TypedProxyPushConsumer(found, admin.obtain_notification_push_consumer(_STRUCTURED))

    def obtain_typed_pull_consumer(self, interface: str) -> TypedProxyPullConsumer:
        """Return a proxy that pulls calls from a supplier; errors as of the other."""
        found = self._interface(interface)
        admin = self.channel.default_supplier_admin
        return TypedProxyPullConsumer(found, admin.obtain_notification_pull_consumer(_STRUCTURED))

    def obtain_typed_push_supplier(self, interface: str) -> TypedProxyPushSupplier:
        """Return a proxy that calls a consumer; errors as of the others."""
        found = self._interface(interface)
        admin = self.channel.default_consumer_admin
        return TypedProxyPushSupplier(found, admin.obtain_notification_push_supplier(_STRUCTURED))

    def obtain_typed_pull_supplier(self, interface: str) -> TypedProxyPullSupplier:
        """Return a proxy from which a consumer pulls calls; errors as of the others."""
        found = self._interface(interface)
        admin = self.channel.default_consumer_admin
        return TypedProxyPullSupplier(found, admin.obtain_notification_pull_supplier(_STRUCTURED))

    def _interface(self, name: str) -> Interface:
        found = self._declared.get(name)
        if found is None:
            raise NoSuchImplementationError(name)
        if name not in self.supported:
            raise InterfaceNotSupportedError(name, self._member_id)
        return found
