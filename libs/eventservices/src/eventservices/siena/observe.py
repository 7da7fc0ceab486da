"""A native observer: tells of all that goes on in a SIENA service."""

import asyncio
from collections.abc import Callable, Sequence

from eventservices.siena.advertising import Semantics
from eventservices.siena.connection import Connection
from eventservices.siena.filters import Filter
from eventservices.siena.options import Options
from eventservices.siena.show import declaration_line, notification_line

ROLE = "observer"


async def observe(
    urls: Sequence[str],
    service: str,
    *,
    tell: Callable[[str], None],
    what: Filter | None = None,
    index: str | None = None,
    semantics: Semantics = Semantics.SUBSCRIPTION,
    options: Options | None = None,
) -> None:
    """Tell of notifications, subscriptions and advertisements until cancelled.

    Args:
        urls: Addresses of the NATS servers.
        service: Name of the service.
        tell: Takes one line of JSON for each.
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
        await client.subscribe(
            what or Filter(), lambda event, stamp: tell(notification_line(event, stamp))
        )
        await asyncio.Event().wait()
