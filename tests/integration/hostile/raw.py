"""Clients that put anything on a broker: no native API stands between."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import nats
from eventservices.servers import NatsServer
from eventservices.stamp import HEADER

BROKEN_OFF = b'{"At":"2031-05-06T07\xf1\x03\x00'
"""JSON text that ends in the middle of a letter."""


async def publish(
    server: NatsServer, subject: str, payload: bytes, stamp: str | None = None
) -> None:
    """Publish a message on NATS; returns once the broker has it."""
    client = await nats.connect(server.url)
    try:
        await client.publish(subject, payload, headers=None if stamp is None else {HEADER: stamp})
        await client.flush()
    finally:
        await client.close()


async def publish_oversize(server: NatsServer, subject: str, size: int) -> bytes:
    """Publish more than a NATS broker takes, and return what it says to that."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(b"CONNECT {}\r\nPUB %b %d\r\n" % (subject.encode(), size))
    with suppress(OSError):
        writer.write(bytes(size) + b"\r\n")
    said = b""
    with suppress(OSError):
        while chunk := await asyncio.wait_for(reader.read(65_536), 30):
            said += chunk
    writer.close()
    return said


class RawMqtt:
    """An MQTT 3.1.1 client of a few bytes: it connects and publishes at QoS 0."""

    def __init__(self, server: NatsServer, name: str) -> None:
        self._server = server
        self._name = name.encode()

    async def publish(self, *messages: tuple[bytes, bytes]) -> bytes:
        """Publish messages, and return what the broker says until it, or we, hang up."""
        reader, writer = await asyncio.open_connection(self._server.host, self._server.mqtt_port)
        head = b"\x00\x04MQTT\x04\x02\x00\x3c" + len(self._name).to_bytes(2) + self._name
        writer.write(_packet(0x10, head))
        said = await asyncio.wait_for(reader.readexactly(4), 30)
        with suppress(OSError):
            for topic, payload in messages:
                writer.write(_packet(0x30, len(topic).to_bytes(2) + topic + payload))
                await writer.drain()
            writer.write(_packet(0xC0, b""))  # a ping: the broker has read what stands before it
            said += await asyncio.wait_for(reader.read(16), 30)
        writer.close()
        return said


def _packet(kind: int, content: bytes) -> bytes:
    length, size = b"", len(content)
    while True:
        size, rest = divmod(size, 128)
        length += bytes([rest | (0x80 if size else 0)])
        if not size:
            return bytes([kind]) + length + content


def packed(value: Any) -> bytes:
    """Return a value as MessagePack."""
    return msgspec.msgpack.encode(value)


def spoilt(payload: bytes, text: bytes = b"xxxx") -> bytes:
    """Return a payload in which a text is no UTF-8 any more."""
    assert payload.count(text) == 1
    return payload.replace(text, b"\xf4\x02\x00\xff")
