"""Waiting for the server's word."""

import asyncio

from eventservices.errors import NotConnectedError
from eventservices.natslink import NatsLink


async def confirm(link: NatsLink) -> float:
    """Return when the server has taken all that was sent to it before, subscriptions included.

    A message to oneself proves it: the server takes a connection's commands in order, while a
    flush of `nats-py` proves nothing during a reconnection.

    Returns:
        The round trip in seconds.

    Raises:
        NotConnectedError: Nothing was heard in time, or the connection was closed meanwhile.
    """
    try:
        return await link.probe()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise NotConnectedError("the connection was closed meanwhile") from None
