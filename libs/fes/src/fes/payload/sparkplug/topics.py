"""Topics of Sparkplug B: which message of which node or device.

Source:
    Eclipse Sparkplug 3.0.0, chapter 4 (topics and messages).
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

NAMESPACE: Final = "spBv1.0"
NODE_KINDS: Final = ("NBIRTH", "NDATA", "NCMD", "NDEATH")
DEVICE_KINDS: Final = ("DBIRTH", "DDATA", "DCMD", "DDEATH")
WIDENED: Final = "Sparkplug: widened to all messages of the node, as its births name the metrics"


class Address(NamedTuple):
    """Where a message comes from, or goes to.

    Attributes:
        group: Of nodes.
        kind: One of `NODE_KINDS` or `DEVICE_KINDS`.
        node: Edge node.
        device: "" for the node itself.
    """

    group: str
    kind: str
    node: str
    device: str

    @property
    def numbered(self) -> bool:
        """Whether the message has a place in the node's sequence."""
        return self.kind not in ("NCMD", "DCMD", "NDEATH")


def address_of(topic: str) -> Address | None:
    """Return the address that a topic is; None where it is none of Sparkplug's messages."""
    levels = topic.split("/")
    if levels[0] != NAMESPACE or not all(levels):
        return None
    if len(levels) == 4 and levels[2] in NODE_KINDS:
        return Address(levels[1], levels[2], levels[3], "")
    if len(levels) == 5 and levels[2] in DEVICE_KINDS:
        return Address(levels[1], levels[2], levels[3], levels[4])
    return None


def with_births(patterns: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Return subscriptions that receive, with each message, all others of its node.

    Births have the names and types of metrics, and every message counts in the node's sequence.

    Args:
        patterns: Subscriptions of MQTT.

    Returns:
        The subscriptions, and whether they are wider than the first ones.
    """
    made: dict[str, None] = {}
    for pattern in patterns:
        levels = pattern.split("/")
        if levels[0] != NAMESPACE or len(levels) < 3 or "#" in levels[:3]:
            made[pattern] = None
            continue
        kinds = ("+", *NODE_KINDS, *DEVICE_KINDS)
        if levels[2] not in kinds:
            made[pattern] = None
            continue
        node = levels[3] if len(levels) > 3 and levels[3] != "#" else "+"
        made["/".join((NAMESPACE, levels[1], "+", node, "#"))] = None
    wider = tuple(made)
    return wider, set(wider) != set(patterns)
