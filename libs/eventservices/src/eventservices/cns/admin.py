"""What supplier admins and consumer admins have in common."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeVar, cast

from eventservices.cns.core import Core
from eventservices.cns.errors import DisconnectedError, ProxyNotFoundError
from eventservices.cns.filters import FilterAdmin
from eventservices.cns.options import InterFilterGroupOperator, ProxyType
from eventservices.cns.qos.holder import QoSAdmin, below
from eventservices.cns.qos.kinds import PropertyValue
from eventservices.cns.qos.properties import Level
from eventservices.cns.qos.validate import Circumstances
from eventservices.lifetime import Closing

if TYPE_CHECKING:
    from eventservices.cns.channel import EventChannel


class AdminProxy(Protocol):
    """What admins require of the proxies that they make."""

    @property
    def my_type(self) -> ProxyType:
        """How its client sends or receives events."""

    def refresh(self) -> None:
        """Apply what the admin has now."""

    async def destroy(self) -> None:
        """End the proxy for good, and notify its client."""

    async def close(self) -> None:
        """End the proxy, and notify its client; what waits under a durable name stays."""


P = TypeVar("P", bound=AdminProxy)
Made = TypeVar("Made", bound=AdminProxy)


class Admin(QoSAdmin, FilterAdmin, Closing, Generic[P]):
    """Has an id, proxies, filters and an end.

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

    _level: ClassVar[Level] = Level.ADMIN

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
        self._init_filters()
        self._inherit(channel.qos)

    @property
    def qos(self) -> Mapping[str, PropertyValue]:
        """Its properties as they are now; new proxies begin with them."""
        return self._qos

    def forget(self, proxy_id: int) -> None:
        """Drop a proxy that ended."""
        self._proxies.pop(proxy_id, None)

    async def destroy(self) -> None:
        """End the admin and its proxies for good, and notify their clients; idempotent."""
        await self._end(forget=True)

    async def close(self) -> None:
        """End as `destroy` does, but keep what waits under durable names."""
        await self._end(forget=False)

    async def _end(self, *, forget: bool) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        for proxy in tuple(self._proxies.values()):
            await (proxy.destroy() if forget else proxy.close())
        self._forget_filters()
        self._withdraw()
        await self._core.membership.tell_changes()

    @abstractmethod
    def _withdraw(self) -> None:
        """Leave the channel, and withdraw what was offered or subscribed to here."""

    def _ids(self, *types: ProxyType) -> tuple[int, ...]:
        return tuple(key for key, proxy in self._proxies.items() if proxy.my_type in types)

    def _add(self, make: Callable[[Core, Self, int], Made]) -> Made:
        proxy = make(self._core, self, self._next_id)
        self._proxies[self._next_id] = cast("P", proxy)
        self._next_id += 1
        return proxy

    def _find(self, proxy_id: int) -> P:
        try:
            return self._proxies[proxy_id]
        except KeyError:
            raise ProxyNotFoundError(f"there is no proxy {proxy_id}") from None

    def _circumstances(self, required: Mapping[str, object]) -> Circumstances:  # noqa: ARG002 - proxies depend on what is required, an admin does not
        return below(self.my_channel.qos, stored=self._core.stored)

    def _check_alive(self) -> None:
        if self._destroyed:
            raise DisconnectedError(f"{type(self).__name__} {self.my_id} was destroyed")


PUSH = (ProxyType.PUSH_ANY, ProxyType.PUSH_STRUCTURED, ProxyType.PUSH_SEQUENCE)
PULL = (ProxyType.PULL_ANY, ProxyType.PULL_STRUCTURED, ProxyType.PULL_SEQUENCE)
