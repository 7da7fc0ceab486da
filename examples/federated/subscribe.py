"""Prints what reaches the town, on SIENA, and ends after two; knows of no federation."""

import asyncio
import sys

from eventservices.siena import Connection, where


async def main(url: str) -> None:
    async with Connection([url], "siena-town", index="FES_Subject") as service:
        client = service.client("office")
        async with client.stream(where(("FES_Subject", "=", "Temperature"))) as hot:
            for _ in range(2):
                notification, _stamp = await anext(hot)
                print(notification["celsius"], "degrees", flush=True)


asyncio.run(main(sys.argv[1]))
