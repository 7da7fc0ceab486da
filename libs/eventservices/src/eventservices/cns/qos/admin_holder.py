"""A channel's administrative properties: how many clients, how many events."""

from collections.abc import Mapping

from eventservices.cns.qos.errors import UnsupportedAdminError
from eventservices.cns.qos.kinds import PropertyValue
from eventservices.cns.qos.properties import ADMIN, AdminProperty, Level
from eventservices.cns.qos.validate import Circumstances, judge


class AdminProperties:
    """The values that a channel has; 0 means no limit."""

    def __init__(self) -> None:
        self._held: dict[str, PropertyValue] = {
            name: item.default for name, item in ADMIN.items() if item.default is not None
        }

    @property
    def max_queue_length(self) -> int:
        """Most events that wait in all queues together."""
        return int(self._number(AdminProperty.MAX_QUEUE_LENGTH))

    @property
    def max_consumers(self) -> int:
        """Most proxies for consumers."""
        return int(self._number(AdminProperty.MAX_CONSUMERS))

    @property
    def max_suppliers(self) -> int:
        """Most proxies for suppliers."""
        return int(self._number(AdminProperty.MAX_SUPPLIERS))

    @property
    def reject_new_events(self) -> bool:
        """Whether suppliers are refused at `max_queue_length`; else events are discarded."""
        return bool(self._number(AdminProperty.REJECT_NEW_EVENTS))

    def get(self) -> dict[str, PropertyValue]:
        """Return all properties."""
        return dict(self._held)

    def set(self, properties: Mapping[str, object]) -> None:
        """Change some properties, all of them or none.

        Raises:
            UnsupportedAdminError: Some cannot be had; it lists all of these.
        """
        verdict = judge(ADMIN, Level.CHANNEL, properties, Circumstances())
        if verdict.errors:
            raise UnsupportedAdminError(verdict.errors)
        self._held.update(verdict.taken)

    def _number(self, name: str) -> int:
        value = self._held[name]
        return value if isinstance(value, int) else 0
