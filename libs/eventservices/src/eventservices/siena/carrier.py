"""The connection, as its clients see it."""

from typing import Protocol

from eventservices.siena.advertising import Semantics
from eventservices.siena.control import Control
from eventservices.siena.counters import Counters
from eventservices.siena.intake import Intake
from eventservices.siena.notification import Notification
from eventservices.siena.options import Options
from eventservices.siena.subjects import Subjects
from eventservices.stamp import Stamp


class Declaring(Protocol):
    """What declarations use of a connection; `Connection` implements it.

    Attributes:
        options: Limits of the connection.
        counters: Counted for all its clients.
        control: Announces declarations to the other connections of the service.
        intake: Delivers notifications to subscriptions.
    """

    options: Options
    counters: Counters
    control: Control
    intake: Intake


class Carrier(Declaring, Protocol):
    """What a client uses of its connection; `Connection` implements it.

    Attributes:
        subjects: Native subjects of notifications and filters.
    """

    subjects: Subjects

    @property
    def service(self) -> str:
        """Name of the service."""

    @property
    def semantics(self) -> Semantics:
        """What decides on delivery."""

    def release(self, party: str) -> None:
        """Remove a client that was closed."""

    async def send(self, notification: Notification, stamp: Stamp) -> None:
        """Publish a notification under a stamp; see `Connection.send`."""
