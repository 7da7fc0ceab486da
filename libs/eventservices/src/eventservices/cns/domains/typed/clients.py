"""The proxies of typed clients: suppliers call operations, those of consumers are called."""

import inspect
from collections.abc import Mapping

from eventservices.cns.calls import call_client, operation, pulled_operation
from eventservices.cns.domains.errors import InvocationError
from eventservices.cns.domains.typed.interfaces import Interface, Invocation
from eventservices.cns.event import StructuredEvent
from eventservices.cns.pull_consumers import StructuredProxyPullConsumer
from eventservices.cns.pull_suppliers import StructuredProxyPullSupplier
from eventservices.cns.push_consumers import StructuredProxyPushConsumer
from eventservices.cns.push_suppliers import StructuredProxyPushSupplier
from eventservices.cns.value import Value
from eventservices.stamp import Stamp


class TypedProxyPushConsumer:
    """A supplier calls operations of an interface through it.

    Attributes:
        interface: The interface.
        proxy: The untyped proxy beneath.
    """

    def __init__(self, interface: Interface, proxy: StructuredProxyPushConsumer) -> None:
        self.interface = interface
        self.proxy = proxy

    async def connect_typed_push_supplier(self, supplier: object = None) -> None:
        """Connect a supplier; errors as of `connect_structured_push_supplier`."""
        await self.proxy.connect_structured_push_supplier(supplier)

    async def invoke(self, name: str, arguments: Mapping[str, Value]) -> Stamp:
        """Call an operation at all consumers.

        Args:
            name: The operation.
            arguments: By name.

        Raises:
            InvocationError: The operation is not declared, or its arguments are others.
            DisconnectedError: No supplier is connected. Others as of `push_structured_event`.
        """
        return await self.proxy.push_structured_event(self.interface.event(name, arguments))

    async def disconnect(self) -> None:
        """End the proxy; idempotent."""
        await self.proxy.disconnect_structured_push_consumer()


class TypedProxyPullConsumer:
    """Pulls calls from a supplier: `try_pull_invocation()` returns (call, whether there is one).

    Attributes:
        interface: The interface.
        proxy: The untyped proxy beneath; it counts what is not a call of the interface as failed.
    """

    def __init__(self, interface: Interface, proxy: StructuredProxyPullConsumer) -> None:
        self.interface = interface
        self.proxy = proxy

    async def connect_typed_pull_supplier(self, supplier: object) -> None:
        """Connect a supplier and begin to pull.

        Raises:
            InterfaceError: It lacks `try_pull_invocation`. Others as of the untyped proxy.
        """
        await self.proxy.connect_structured_pull_supplier(_Pulled(self.interface, supplier))

    async def disconnect(self) -> None:
        """End the proxy; idempotent."""
        await self.proxy.disconnect_structured_pull_consumer()


class _Pulled:
    """A typed supplier as the untyped proxy sees it."""

    def __init__(self, interface: Interface, supplier: object) -> None:
        self._interface = interface
        self._try_pull = pulled_operation(supplier, "try_pull_invocation")

    async def try_pull_structured_event(self) -> tuple[StructuredEvent | None, bool]:
        result = self._try_pull()
        if inspect.isawaitable(result):
            result = await result
        match result:
            case (Invocation(name, arguments), True):
                return self._interface.event(name, arguments), True
            case (_, False):
                return None, False
        raise InvocationError("a typed pull supplier returned what is not a call")


class TypedProxyPushSupplier:
    """Calls a consumer's operations, those of the interface.

    Attributes:
        interface: The interface.
        proxy: The untyped proxy beneath.
        passed_over: Events that are not calls of the interface.
        failed: Calls on which the consumer raised; what it raised is logged.
    """

    def __init__(self, interface: Interface, proxy: StructuredProxyPushSupplier) -> None:
        self.interface = interface
        self.proxy = proxy
        self.passed_over = 0
        self.failed = 0
        self._consumer: object = None

    async def connect_typed_push_consumer(
        self, consumer: object, *, repetitions: bool = False
    ) -> None:
        """Connect a consumer.

        Args:
            consumer: Has each operation of the interface, as a plain function that accepts the
                operation's parameters by name.
            repetitions: As of the untyped proxies.

        Raises:
            InterfaceError: It lacks an operation. Others as of the untyped proxy.
        """
        for name in self.interface.operations:
            operation(consumer, name)
        self._consumer = consumer
        await self.proxy.connect_structured_push_consumer(self, repetitions=repetitions)

    def push_structured_event(self, event: StructuredEvent, _stamp: Stamp | None) -> None:
        """Turn an event into a call."""
        call = self.interface.invocation(event)
        if call is None:
            self.passed_over += 1
            return
        function = operation(self._consumer, call.operation)
        self.failed += not call_client(lambda: function(**call.arguments))

    async def disconnect(self) -> None:
        """End the proxy; idempotent."""
        await self.proxy.disconnect_structured_push_supplier()


class TypedProxyPullSupplier:
    """A consumer pulls calls from it.

    Attributes:
        interface: The interface.
        proxy: The untyped proxy beneath.
        passed_over: Events that are not calls of the interface.
    """

    def __init__(self, interface: Interface, proxy: StructuredProxyPullSupplier) -> None:
        self.interface = interface
        self.proxy = proxy
        self.passed_over = 0

    async def connect_typed_pull_consumer(
        self, consumer: object = None, *, repetitions: bool = False
    ) -> None:
        """Connect a consumer; errors as of the untyped proxy."""
        await self.proxy.connect_structured_pull_consumer(consumer, repetitions=repetitions)

    async def pull(self) -> Invocation:
        """Return the next call, as soon as there is one; errors as of the untyped proxy."""
        while True:
            call = self.interface.invocation(await self.proxy.pull_structured_event())
            if call is not None:
                return call
            self.passed_over += 1

    def try_pull(self) -> tuple[Invocation | None, bool]:
        """Return the next call and True; None and False where there is none now."""
        while True:
            event, there = self.proxy.try_pull_structured_event()
            if not there:
                return None, False
            call = self.interface.invocation(event)
            if call is not None:
                return call, True
            self.passed_over += 1

    async def disconnect(self) -> None:
        """End the proxy; idempotent."""
        await self.proxy.disconnect_structured_pull_supplier()
