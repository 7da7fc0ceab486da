"""Prints the temperatures that reach the office on NATS, with nats-py alone; ends after two."""

import asyncio
import json
import sys

import nats


async def main(url: str) -> None:
    client = await nats.connect(url)
    warm = await client.subscribe("house.temperature.*")
    for _ in range(2):
        message = await warm.next_msg(timeout=60)
        room = message.subject.rpartition(".")[2]
        print(room, json.loads(message.data)["celsius"], flush=True)
    await client.close()


asyncio.run(main(sys.argv[1]))
