"""A native observer: reports all that goes on in a SIENA service."""

import asyncio
from collections.abc import Callable, Sequence

from eventservices.siena.advertising import Semantics
from eventservices.siena.connection import Connection
from eventservices.siena.filters import Filter
from eventservices.siena.notification import Notification
from eventservices.siena.options import Options
from eventservices.siena.show import declaration_line, notification_line
from eventservices.stamp import Stamp

ROLE = "observer"


async def observe(
    urls: Sequence[str],
    service: str,
    *,
    tell: Callable[[str], None],
    count: Callable[[], None] | None = None,
    what: Filter | None = None,
    index: str | None = None,
    semantics: Semantics = Semantics.SUBSCRIPTION,
    options: Options | None = None,
) -> None:
    """Report notifications, subscriptions and advertisements until cancelled.

    Args:
        urls: Addresses of the NATS servers.
        service: Name of the service.
        tell: Is called with one line of JSON for each.
        count: Called for each notification, instead of a line; None where each has its line.
        what: Which notifications; all where None.
        index: Index attribute of the service.
        semantics: What decides on delivery in the service.
        options: Times and bounds.

    Raises:
        NotConnectedError: No access point answered.
        IndexMismatchError: The service uses another index.
        SemanticsMismatchError: The service has other semantics.
    """
    async with Connection(
        urls, service, index=index, semantics=semantics, options=options
    ) as connection:
        connection.observe(lambda seen: tell(declaration_line(seen)))
        client = connection.client(f"observer-{connection.name}", role=ROLE)

        def notified(event: Notification, stamp: Stamp | None) -> None:
            if count is not None:
                count()
            else:
                tell(notification_line(event, stamp))

        await client.subscribe(what or Filter(), notified)
        await asyncio.Event().wait()
