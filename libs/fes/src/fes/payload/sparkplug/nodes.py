"""What is known of edge nodes: names and types of metrics by alias, and the place in the sequence.

Every table is bounded: above `MAX_NODES` nodes, or `MAX_METRICS` metrics of all, the node that was
silent for longest is forgotten and has to repeat its birth.

Source:
    Eclipse Sparkplug 3.0.0, sections 5.5 and 6.4 (aliases), 4 and 6.4.8 (sequence numbers).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from fes.errors import CodecError
from fes.payload.sparkplug.topics import Address

MAX_NODES: Final = 1000
MAX_NODE_METRICS: Final = 20_000
MAX_METRICS: Final = 200_000

SEQUENCE: Final = 256


class Metric(NamedTuple):
    """A metric of a birth.

    Attributes:
        device: "" for one of the node itself.
        name: Of the metric.
        kind: Its data type.
        alias: None where it has none.
    """

    device: str
    name: str
    kind: str
    alias: int | None


@dataclass(slots=True)
class Node:
    """One edge node.

    Attributes:
        session: `bdSeq` of its birth; None where the birth has none.
        next: Sequence number that is due; None where any is.
        is_born: Whether its birth was received.
        aliases: Metric by alias.
        names: Metric by device and name.
    """

    session: int | None = None
    next: int | None = None
    is_born: bool = False
    aliases: dict[int, Metric] = field(default_factory=dict)
    names: dict[tuple[str, str], Metric] = field(default_factory=dict)


class Nodes:
    """Knows edge nodes.

    Attributes:
        forgotten: Nodes that had to go, as there were too many.
        gaps: Sequence numbers that were not the one that was due.
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self.gaps = 0
        self._nodes: OrderedDict[tuple[str, str], Node] = OrderedDict()
        self._metrics = 0

    def __len__(self) -> int:
        """Return how many nodes are known."""
        return len(self._nodes)

    def of(self, address: Address) -> Node:
        """Return a node, which is new where nothing is known of it."""
        key = (address.group, address.node)
        node = self._nodes.setdefault(key, Node())
        self._nodes.move_to_end(key)
        while len(self._nodes) > MAX_NODES:
            self._drop_oldest()
        return node

    def born(self, address: Address, session: int | None, metrics: list[Metric]) -> None:
        """Note the metrics of a birth; that of a node ends what was known of it and its devices.

        Raises:
            CodecError: Two metrics have one alias or name, or there are too many.
        """
        node = self.of(address)
        if not address.device:
            self._clear(node)
            node.session, node.is_born = session, True
        else:
            self._clear_device(node, address.device)
        if len(node.names) + len(metrics) > MAX_NODE_METRICS:
            raise CodecError(f"more than {MAX_NODE_METRICS} metrics of one node")
        for metric in metrics:
            known = node.aliases.get(metric.alias) if metric.alias is not None else None
            if known is not None:
                raise CodecError(f"alias {metric.alias} is that of {known.name[:80]!r}, too")
            if (metric.device, metric.name) in node.names:
                raise CodecError(f"metric {metric.name[:80]!r} occurs twice")
            node.names[metric.device, metric.name] = metric
            self._metrics += 1
            if metric.alias is not None:
                node.aliases[metric.alias] = metric
        while self._metrics > MAX_METRICS and len(self._nodes) > 1:
            self._drop_oldest()

    def dead(self, address: Address) -> None:
        """Forget a node, or a device with its metrics."""
        key = (address.group, address.node)
        node = self._nodes.get(key)
        if node is None:
            return
        if address.device:
            self._clear_device(node, address.device)
        else:
            self._clear(node)
            del self._nodes[key]

    def in_order(self, address: Address, sequence: int) -> bool:
        """Return whether a sequence number is the one that was due, and count a gap otherwise."""
        node = self.of(address)
        due, node.next = node.next, (sequence + 1) % SEQUENCE
        if address.kind == "NBIRTH" or due in (None, sequence):
            return True
        self.gaps += 1
        return False

    def _drop_oldest(self) -> None:
        _, node = self._nodes.popitem(last=False)
        self._clear(node)
        self.forgotten += 1

    def _clear(self, node: Node) -> None:
        self._metrics -= len(node.names)
        node.aliases.clear()
        node.names.clear()
        node.is_born = False

    def _clear_device(self, node: Node, device: str) -> None:
        for metric in [each for each in node.names.values() if each.device == device]:
            del node.names[device, metric.name]
            if metric.alias is not None:
                node.aliases.pop(metric.alias, None)
            self._metrics -= 1
