"""What the admins and proxies of one channel share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from eventservices.cns.dispatch import Dispatcher
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.membership import Membership
from eventservices.cns.options import ChannelOptions
from eventservices.natslink import NatsLink


@dataclass(slots=True, eq=False)
class Core:
    """The inside of a channel.

    Attributes:
        name: The channel's name.
        home: Name of the event service in the stamps given here.
        subject: NATS subject of its events.
        link: The connection.
        membership: Offers and subscriptions.
        dispatcher: Events.
        options: The client's choices.
        clock_us: Producer's time for stamps; the wall clock where None.
        consumers: Proxies for consumers that exist.
        suppliers: Proxies for suppliers that exist.
    """

    name: str
    home: str
    subject: str
    link: NatsLink
    membership: Membership
    dispatcher: Dispatcher
    options: ChannelOptions
    clock_us: Callable[[], int] | None
    consumers: int = field(default=0)
    suppliers: int = field(default=0)

    def admit_consumer(self) -> None:
        """Count one more proxy for a consumer.

        Raises:
            AdminLimitExceededError: There are `max_consumers`.
        """
        if self.consumers >= self.options.max_consumers:
            raise AdminLimitExceededError("MaxConsumers", self.options.max_consumers)
        self.consumers += 1

    def admit_supplier(self) -> None:
        """Count one more proxy for a supplier.

        Raises:
            AdminLimitExceededError: There are `max_suppliers`.
        """
        if self.suppliers >= self.options.max_suppliers:
            raise AdminLimitExceededError("MaxSuppliers", self.options.max_suppliers)
        self.suppliers += 1
