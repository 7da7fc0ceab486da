"""Publishes the temperatures of two rooms on MQTT, with gmqtt alone; knows of no federation."""

import asyncio
import json
import sys
from itertools import cycle
from urllib.parse import urlsplit

import gmqtt


async def main(url: str) -> None:
    place = urlsplit(url)
    client = gmqtt.Client("sensors")
    await client.connect(place.hostname, place.port, version=4)
    for room, celsius in cycle((("hall", 21.0), ("hall", 35.5), ("attic", 31.0))):
        client.publish(f"sensors/{room}/temperature", json.dumps({"celsius": celsius}))
        await asyncio.sleep(0.2)


asyncio.run(main(sys.argv[1]))
