"""MQTT topics of an air: `<air>/<kind>/<row>_<column>/<subject>`.

Every level is percent-encoded outside letters, digits, `_` and `-`. That keeps MQTT's own
wildcards out, and what is special to nats-server, which maps topics to NATS subjects: `*`
and `>` in a level are wildcards there, a space ends the connection, a dot parts tokens.
"""

from functools import lru_cache
from typing import Literal

from eventservices.steam.cells import Cell

Kind = Literal["event", "beacon", "group"]
"""Events, announcements, and memberships of proximity groups."""

ANY = "+"
"""Wildcard for any subject of a cell."""

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@lru_cache(maxsize=4096)
def encode_level(text: str) -> str:
    """Return a text as one topic level."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode())


class Topics:
    """Names the topics of one air.

    Args:
        air: Name of the air.
    """

    def __init__(self, air: str) -> None:
        self._air = encode_level(air)

    def of(self, kind: Kind, cell: Cell, level: str) -> str:
        """Return the topic of a cell.

        Args:
            kind: What is carried.
            cell: Where it is sent.
            level: The encoded subject, or `ANY`.
        """
        return f"{self._air}/{kind}/{cell[0]}_{cell[1]}/{level}"

    def everywhere(self, kind: Kind) -> str:
        """Return the filter that accepts all subjects of all cells."""
        return f"{self._air}/{kind}/#"

    def probe(self, client_id: str) -> str:
        """Return the topic on which one connection proves its round trip."""
        return f"{self._air}/probe/{encode_level(client_id)}"


def subject_level(topic: str) -> str:
    """Return the encoded subject of a topic."""
    return topic.rpartition("/")[2]


def wildcards(topic: str) -> tuple[str, str]:
    """Return the two filters with a wildcard that accept a topic."""
    air, kind, cell, _ = topic.split("/")
    return f"{air}/{kind}/{cell}/{ANY}", f"{air}/{kind}/#"
