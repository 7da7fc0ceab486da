"""The operations that return and change the quality of service of channels, admins, proxies."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from eventservices.cns.qos.errors import PropertyRange, UnsupportedQoSError
from eventservices.cns.qos.kinds import PropertyValue
from eventservices.cns.qos.properties import QOS, Level, QoS
from eventservices.cns.qos.validate import Circumstances, additional, judge

BEST_EFFORT_ONLY = PropertyRange(0, 0)


class QoSAdmin(ABC):
    """Has properties of quality of service.

    What the parent has when a child is made, the child begins with; later changes of the parent do
    not reach it.
    """

    _level: ClassVar[Level]
    _qos: dict[str, PropertyValue]

    def get_qos(self) -> dict[str, PropertyValue]:
        """Return all properties of an object of this level, set or by default."""
        return dict(self._qos)

    def set_qos(self, properties: Mapping[str, object]) -> None:
        """Change some properties, all of them or none.

        Args:
            properties: New values by name; see `QoS` for names, `qos.kinds` for types. Times are
                units of 100 ns, or a `timedelta`.

        Raises:
            UnsupportedQoSError: Some cannot be had; it lists all of these, and nothing was changed.
        """
        self._qos.update(self._judge(properties))
        self._qos_changed()

    def validate_qos(self, required: Mapping[str, object]) -> dict[str, PropertyRange]:
        """Check that `set_qos` would accept properties, and change nothing.

        Returns:
            The other properties that could be set besides, with the values that they may have.

        Raises:
            UnsupportedQoSError: As `set_qos`.
        """
        self._judge(required)
        return additional(QOS, self._level, tuple(required), self._circumstances(required))

    def _inherit(self, parent: Mapping[str, PropertyValue]) -> None:
        self._qos = inherited(self._level, parent)

    def _judge(self, required: Mapping[str, object]) -> dict[str, PropertyValue]:
        verdict = judge(QOS, self._level, required, self._circumstances(required))
        if verdict.errors:
            raise UnsupportedQoSError(verdict.errors)
        return verdict.taken

    @abstractmethod
    def _circumstances(self, required: Mapping[str, object]) -> Circumstances:
        """Return what the object can offer besides `required`."""

    def _qos_changed(self) -> None:  # noqa: B027 - not every object has something to do
        """Do what the new properties require."""


def inherited(level: Level, parent: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """Return the properties with which an object begins: its parent's, else the defaults."""
    return {
        name: parent.get(name, item.default)
        for name, item in QOS.items()
        if level in item.levels and item.default is not None
    }


def below(parent: Mapping[str, PropertyValue], *, stored: bool) -> Circumstances:
    """Return what an object may have under a parent: it is never more reliable.

    Args:
        parent: The parent's properties.
        stored: Whether the broker can keep events.
    """
    name = str(QoS.CONNECTION_RELIABILITY)
    return Circumstances(
        supported={} if stored else {name: BEST_EFFORT_ONLY},
        available={name: PropertyRange(0, parent[name])},
    )


def of_channel(
    held: Mapping[str, PropertyValue], required: Mapping[str, object], *, stored: bool
) -> Circumstances:
    """Return what a channel may have: persistent events only over persistent connections.

    Args:
        held: Its properties now.
        required: The properties that the client requests.
        stored: Whether the broker can keep events.
    """
    event, connection = str(QoS.EVENT_RELIABILITY), str(QoS.CONNECTION_RELIABILITY)
    available = {event: PropertyRange(0, 1 if _after(connection, held, required) else 0)}
    if event not in required and held[event]:
        available[connection] = PropertyRange(1, 1)
    nothing = dict.fromkeys((event, connection), BEST_EFFORT_ONLY)
    return Circumstances(supported={} if stored else nothing, available=available)


def of_message(
    held: Mapping[str, PropertyValue], *, start_stop: Mapping[str, str]
) -> Circumstances:
    """Return what the header of an event may request from a proxy.

    Args:
        held: The proxy's properties.
        start_stop: Property of a header to the one that must be on for it.
    """
    connection = QoS.CONNECTION_RELIABILITY
    return Circumstances(
        unavailable=[name for name, switch in start_stop.items() if not held[switch]],
        available={QoS.EVENT_RELIABILITY: PropertyRange(0, held[connection])},
    )


def _after(name: str, held: Mapping[str, PropertyValue], required: Mapping[str, object]) -> bool:
    return bool(required.get(name, held[name]))
