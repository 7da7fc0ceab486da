"""Sparkplug messages by their topics, in both directions, and the requests that they lead to."""

from collections.abc import Callable
from dataclasses import dataclass

from eventservices.stamp import Stamp

from fes.model import Field
from fes.payload.losses import Losses
from fes.payload.sparkplug.reader import Read, SparkplugReader
from fes.payload.sparkplug.rebirth import REBIRTH
from fes.payload.sparkplug.topics import NAMESPACE, address_of
from fes.payload.sparkplug.writer import SparkplugWriter


@dataclass(frozen=True, slots=True)
class Command:
    """A request for a rebirth, to be published.

    Attributes:
        topic: Of the node's commands.
        payload: The command.
    """

    topic: str
    payload: bytes


class SparkplugCodec:
    """Reads and writes Sparkplug messages.

    Args:
        losses: Counts what has no place.
        clock_s: A clock that never goes back, seconds.
        rebirths: Whether nodes are requested to repeat their births.
    """

    def __init__(
        self, losses: Losses, clock_s: Callable[[], float], *, rebirths: bool = True
    ) -> None:
        self._reader = SparkplugReader(losses, clock_s, rebirths=rebirths)
        self._writer = SparkplugWriter(losses)

    @property
    def nulls(self) -> int:
        """Metrics that were null, and are absent from the events."""
        return self._reader.nulls

    def counters(self) -> dict[str, int]:
        """Return what happened, by name."""
        nodes, rebirths = self._reader.nodes, self._reader.rebirths
        return {
            "sparkplug_nodes": len(nodes),
            "sparkplug_forgotten": nodes.forgotten,
            "sparkplug_gaps": nodes.gaps,
            "rebirths_requested": rebirths.requested,
            "rebirths_dropped": rebirths.dropped,
        }

    def read(self, topic: str, payload: bytes) -> Read | None:
        """Return the event of a message; None where its topic is none of Sparkplug's messages.

        Raises:
            CodecError: See `SparkplugReader.read`.
        """
        address = address_of(topic)
        return None if address is None else self._reader.read(address, payload)

    def write(
        self,
        topic: str,
        parameters: tuple[Field, ...],
        attributes: tuple[Field, ...],
        stamp: Stamp,
    ) -> bytes | None:
        """Return the payload of an event; None where its topic is none of Sparkplug's messages.

        Raises:
            CodecError: See `SparkplugWriter.write`.
        """
        address = address_of(topic)
        if address is None:
            return None
        return self._writer.write(address, parameters, attributes, stamp.time_us)

    def commands(self, time_us: int) -> list[Command]:
        """Return the requests for a rebirth that wait to be published, and forget them."""
        return [
            Command(
                f"{NAMESPACE}/{each.group}/{each.kind}/{each.node}",
                self._writer.write(each, (REBIRTH,), (), time_us),
            )
            for each in self._reader.rebirths.take()
        ]
