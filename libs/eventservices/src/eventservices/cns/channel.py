"""Event channels: where suppliers and consumers meet without knowing each other."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from eventservices.cns.changes import Member
from eventservices.cns.consumer_admin import ConsumerAdmin
from eventservices.cns.core import Core
from eventservices.cns.dispatch import SetAside
from eventservices.cns.errors import AdminNotFoundError, DisconnectedError
from eventservices.cns.etcl import FilterFactory
from eventservices.cns.event_type import EventType
from eventservices.cns.options import InterFilterGroupOperator
from eventservices.cns.qos.holder import QoSAdmin, of_channel
from eventservices.cns.qos.kinds import PropertyValue
from eventservices.cns.qos.properties import Level, QoS
from eventservices.cns.qos.validate import Circumstances
from eventservices.cns.supplier_admin import SupplierAdmin
from eventservices.lifetime import Closing

if TYPE_CHECKING:
    from eventservices.cns.connection import Connection

AND_OP = InterFilterGroupOperator.AND_OP


class EventChannel(QoSAdmin, Closing):
    """One client's use of a channel; `Connection.open_channel` makes it.

    A channel exists by its name: whoever opens the same name on the same broker meets there. Its
    properties are this client's: they count for what is pushed and consumed here.

    Args:
        core: Its inside.
        factory: The connection that made it.
        channel_id: Unique within the connection.
        on_close: Called once, when it closes.
        qos: Properties of quality of service to begin with.

    Attributes:
        name: The channel's name.
        my_factory: The connection that made it.
        my_id: Unique within the connection.
        default_supplier_admin: The supplier admin of id 0.
        default_consumer_admin: The consumer admin of id 0, operator `AND_OP`.
    """

    _level: ClassVar[Level] = Level.CHANNEL

    def __init__(
        self,
        core: Core,
        factory: "Connection",
        channel_id: int,
        on_close: Callable[["EventChannel"], None],
        qos: Mapping[str, object],
    ) -> None:
        self.name = core.name
        self.my_factory = factory
        self.my_id = channel_id
        self._core = core
        self._inherit({})
        self.set_qos(qos)
        self._on_close = on_close
        self._closed = False
        self._next_id = 1
        self.default_supplier_admin = SupplierAdmin(core, self, 0, AND_OP)
        self.default_consumer_admin = ConsumerAdmin(core, self, 0, AND_OP)
        self._supplier_admins = {0: self.default_supplier_admin}
        self._consumer_admins = {0: self.default_consumer_admin}

    @property
    def qos(self) -> Mapping[str, PropertyValue]:
        """Its properties as they are now; new admins begin with them."""
        return self._qos

    @property
    def default_filter_factory(self) -> FilterFactory:
        """Makes filters and mapping filters of ETCL."""
        return FilterFactory()

    @property
    def member_id(self) -> str:
        """This client's id among the channel's members."""
        return self._core.membership.id

    @property
    def offers(self) -> tuple[EventType, ...]:
        """Event types that anybody offers on the channel, sorted, as far as received."""
        return self._core.membership.table.offers

    @property
    def subscriptions(self) -> tuple[EventType, ...]:
        """Event types that anybody subscribes to on the channel, sorted, as far as received."""
        return self._core.membership.table.subscriptions

    @property
    def others(self) -> tuple[Member, ...]:
        """The other members that offer or subscribe to something, as far as received."""
        return tuple(
            member
            for member in self._core.membership.table.members
            if member.id != self.member_id and (member.offers or member.subscriptions)
        )

    @property
    def received(self) -> int:
        """Messages that came while somebody here consumed."""
        return self._core.dispatcher.received

    @property
    def malformed(self) -> int:
        """Messages that were no event, or no notice of offers and subscriptions."""
        return self._core.dispatcher.malformed + self._core.membership.malformed

    @property
    def set_aside(self) -> deque[SetAside]:
        """The last messages that were no event."""
        return self._core.dispatcher.set_aside

    @property
    def waiting(self) -> int:
        """Events that wait in the queues of this client's consumers."""
        return self._core.waiting

    @property
    def refused(self) -> int:
        """Events that came, or were pushed, while `MaxQueueLength` of them waited."""
        return self._core.refused

    def get_admin(self) -> dict[str, PropertyValue]:
        """Return the administrative properties."""
        return self._core.admin.get()

    def set_admin(self, properties: Mapping[str, object]) -> None:
        """Change some administrative properties, all of them or none.

        `MaxQueueLength` and `RejectNewEvents` count for the events that wait at this client, and
        for those that the broker keeps of the channel.

        Args:
            properties: New values by name; see `AdminProperty`. 0 means no limit.

        Raises:
            UnsupportedAdminError: Some cannot be had; it lists all of these.
        """
        self._core.admin.set(properties)
        self._core.store.limits_changed()

    def on_malformed(self, callback: Callable[[str, bytes], None]) -> None:
        """Call `callback` with the reason and the bytes of each message set aside from now on."""
        self._core.dispatcher.on_malformed = callback
        self._core.membership.on_malformed = callback

    def watch(self, callback: Callable[[], None]) -> None:
        """Call `callback`, a plain function, after each change of `others`."""
        self._core.membership.watchers.append(callback)

    def unwatch(self, callback: Callable[[], None]) -> None:
        """Call `callback` no more; harmless where it is not called."""
        if callback in self._core.membership.watchers:
            self._core.membership.watchers.remove(callback)

    def for_suppliers(self) -> SupplierAdmin:
        """Return the default supplier admin."""
        return self.default_supplier_admin

    def for_consumers(self) -> ConsumerAdmin:
        """Return the default consumer admin."""
        return self.default_consumer_admin

    def new_for_suppliers(self, operator: InterFilterGroupOperator = AND_OP) -> SupplierAdmin:
        """Return a new supplier admin.

        Raises:
            DisconnectedError: The channel is closed.
        """
        admin = SupplierAdmin(self._core, self, self._take_id(), operator)
        self._supplier_admins[admin.my_id] = admin
        return admin

    def new_for_consumers(self, operator: InterFilterGroupOperator = AND_OP) -> ConsumerAdmin:
        """Return a new consumer admin.

        Raises:
            DisconnectedError: The channel is closed.
        """
        admin = ConsumerAdmin(self._core, self, self._take_id(), operator)
        self._consumer_admins[admin.my_id] = admin
        return admin

    def get_supplieradmin(self, admin_id: int) -> SupplierAdmin:
        """Return a supplier admin.

        Raises:
            AdminNotFoundError: There is none of that id.
        """
        if admin_id not in self._supplier_admins:
            raise AdminNotFoundError(f"there is no supplier admin {admin_id}")
        return self._supplier_admins[admin_id]

    def get_consumeradmin(self, admin_id: int) -> ConsumerAdmin:
        """Return a consumer admin.

        Raises:
            AdminNotFoundError: There is none of that id.
        """
        if admin_id not in self._consumer_admins:
            raise AdminNotFoundError(f"there is no consumer admin {admin_id}")
        return self._consumer_admins[admin_id]

    def get_all_supplieradmins(self) -> tuple[int, ...]:
        """Return the ids of the supplier admins."""
        return tuple(self._supplier_admins)

    def get_all_consumeradmins(self) -> tuple[int, ...]:
        """Return the ids of the consumer admins."""
        return tuple(self._consumer_admins)

    def forget_supplieradmin(self, admin_id: int) -> None:
        """Drop a supplier admin that was destroyed."""
        self._supplier_admins.pop(admin_id, None)

    def forget_consumeradmin(self, admin_id: int) -> None:
        """Drop a consumer admin that was destroyed."""
        self._consumer_admins.pop(admin_id, None)

    def connection_found_again(self) -> None:
        """Forget what was in transit when the connection was lost: it will not arrive."""
        in_flight = self._core.dispatcher.in_flight
        in_flight.forget(in_flight.snapshot())

    async def close(self) -> None:
        """End all admins and leave; the channel goes on for others; harmless when repeated.

        Persistent events go on waiting under durable names.
        """
        await self._end(forget=False)

    async def destroy(self) -> None:
        """End all admins and leave for good, and delete the channel's persistent events.

        Others who have the channel open may go on with what is not persistent.

        Raises:
            NotConnectedError: The broker did not confirm that they are deleted; we left all the
                same.
        """
        used = self._core.stored and not self._closed
        await self._end(forget=True)
        if used:
            await self._core.store.delete()

    async def _end(self, *, forget: bool) -> None:
        if self._closed:
            return
        self._closed = True
        self._on_close(self)
        admins: list[SupplierAdmin | ConsumerAdmin] = [
            *self._consumer_admins.values(),
            *self._supplier_admins.values(),
        ]
        for admin in admins:
            await (admin.destroy() if forget else admin.close())
        self._core.store.close()
        await self._core.membership.leave()

    def _circumstances(self, required: Mapping[str, object]) -> Circumstances:
        return of_channel(self._qos, required, stored=self._core.stored)

    def _qos_changed(self) -> None:
        self._core.persistent_events = bool(self._qos[QoS.EVENT_RELIABILITY])

    def _take_id(self) -> int:
        if self._closed:
            raise DisconnectedError(f"channel {self.name!r} is closed")
        self._next_id += 1
        return self._next_id - 1
