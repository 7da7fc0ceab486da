"""What all proxies have in common: an id, an admin, quality of service, filters, and an end."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final

from eventservices.cns.core import Core
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.filters import FilterAdmin
from eventservices.cns.options import ProxyType
from eventservices.cns.qos.errors import (
    ErrorCode,
    PropertyError,
    PropertyRange,
    UnsupportedQoSError,
)
from eventservices.cns.qos.holder import QoSAdmin, below, of_message
from eventservices.cns.qos.kinds import PropertyValue
from eventservices.cns.qos.properties import QOS, Level, QoS
from eventservices.cns.qos.validate import Circumstances, additional, judge
from eventservices.lifetime import Closing

_SWITCHES: Final[dict[str, str]] = {
    QoS.START_TIME: QoS.START_TIME_SUPPORTED,
    QoS.STOP_TIME: QoS.STOP_TIME_SUPPORTED,
}


class Proxy(QoSAdmin, FilterAdmin, Closing):
    """Serves one client at the channel.

    Args:
        core: The channel's inside.
        proxy_id: Unique within the admin.
        parent: Properties that it begins with.

    Attributes:
        my_id: Unique within the admin.
        my_type: How its client sends or receives events.
    """

    my_type: ClassVar[ProxyType]
    _level: ClassVar[Level] = Level.PROXY

    def __init__(self, core: Core, proxy_id: int, parent: Mapping[str, PropertyValue]) -> None:
        self.my_id = proxy_id
        self._core = core
        self._parent = parent
        self._destroyed = False
        self._init_filters()
        self._inherit(parent)

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Whether a client is connected."""

    @abstractmethod
    async def destroy(self) -> None:
        """End the proxy for good, and notify its client; idempotent."""

    def validate_event_qos(self, required: Mapping[str, object]) -> dict[str, PropertyRange]:
        """Return whether the header of an event may request properties here.

        Returns:
            The other properties that it could have, with the values that they may have.

        Raises:
            UnsupportedQoSError: It may not; the error lists all that is wrong.
        """
        now = of_message(self._qos, start_stop=_SWITCHES)
        verdict = judge(QOS, Level.MESSAGE, required, now)
        if verdict.errors:
            raise UnsupportedQoSError(verdict.errors)
        return additional(QOS, Level.MESSAGE, tuple(required), now)

    def _circumstances(self, required: Mapping[str, object]) -> Circumstances:
        name = str(QoS.CONNECTION_RELIABILITY)
        found = below(self._parent, stored=self._core.stored)
        if self.connected and required.get(name, self._qos[name]) != self._qos[name]:
            return Circumstances((name,), found.supported, found.available)
        return found

    def _check_durable(self, durable: str) -> None:
        if durable and not self._qos[QoS.CONNECTION_RELIABILITY]:
            wrong = PropertyError(
                ErrorCode.UNAVAILABLE_VALUE, QoS.CONNECTION_RELIABILITY, PropertyRange(1, 1)
            )
            raise UnsupportedQoSError([wrong])

    def _check_alive(self) -> None:
        if self._destroyed:
            raise DisconnectedError(f"proxy {self.my_id} was destroyed")
