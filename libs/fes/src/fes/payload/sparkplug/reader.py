"""Sparkplug payloads as events: names and types by the births, sequence, rebirth.

The metrics of a message are the parameters of its event. What a birth states of a metric is
valid for every later message of its node. Where something is missing (an alias without a birth, a
gap in the sequence) the node is requested to repeat its births.

Source:
    Eclipse Sparkplug 3.0.0, chapters 5 (operational behaviour) and 6 (payloads).
"""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from fes.errors import CodecError
from fes.model import Field, Type
from fes.payload.losses import Losses
from fes.payload.plain import MAX_VALUES
from fes.payload.sparkplug.arrays import spend
from fes.payload.sparkplug.attributes import HISTORICAL, SEQ, TYPES
from fes.payload.sparkplug.nodes import SEQUENCE, Metric, Node, Nodes
from fes.payload.sparkplug.rebirth import Rebirths
from fes.payload.sparkplug.topics import Address
from fes.payload.sparkplug.values import check_names, name_of, read_value, usual
from fes.payload.sparkplug.wire import parse

SESSION: Final = "bdSeq"

_LATEST_MS: Final = 253_402_300_800_000  # the year 10000


class Read(NamedTuple):
    """What a message has.

    Attributes:
        parameters: Its metrics.
        attributes: Those of `attributes.OWN`.
        time_us: When it was sent; None where that is not in it.
    """

    parameters: tuple[Field, ...]
    attributes: tuple[Field, ...]
    time_us: int | None


class _UnknownError(CodecError):
    """Raised when a metric has no name or no type, as no birth has it."""


class SparkplugReader:
    """Reads Sparkplug messages; knows the births of the nodes.

    Args:
        losses: Counts what has no place.
        clock_s: A clock that never goes back, seconds.
        rebirths: Whether nodes are requested to repeat their births.

    Attributes:
        nodes: What is known.
        nulls: Metrics that were null, and are absent from the events.
        rebirths: Requests for a rebirth, to be sent.
    """

    def __init__(
        self, losses: Losses, clock_s: Callable[[], float], *, rebirths: bool = True
    ) -> None:
        self.nodes = Nodes()
        self.nulls = 0
        self.rebirths = Rebirths(clock_s, allowed=rebirths)
        self._losses = losses

    def read(self, address: Address, payload: bytes) -> Read:
        """Return the event of a message.

        Raises:
            CodecError: It is not well formed, is the death of an earlier session, or has a metric
                that no birth has; of this node a rebirth is requested then.
        """
        message = parse(payload)
        left = [MAX_VALUES]
        spend(left, len(message.metrics))
        missing = not self._is_in_order(address, message)
        try:
            fields, kinds = self._taken(address, message, left)
        except _UnknownError:
            missing = True
            raise
        finally:
            if missing:
                self.rebirths.request(address)
        if address.kind in ("NDEATH", "DDEATH"):
            self.nodes.dead(address)
        self._count(message)
        time_ms = message.timestamp
        is_told = message.HasField("timestamp") and 0 < time_ms < _LATEST_MS
        attributes = tuple(_attributes(message, kinds))
        return Read(tuple(fields), attributes, time_ms * 1000 if is_told else None)

    def _taken(
        self, address: Address, message: Any, left: list[int]
    ) -> tuple[list[Field], dict[str, str]]:
        """Return the metrics of a message, which a birth adds to what is known of its node."""
        if address.kind == "NDEATH":
            self._check_session(address, message)
        try:
            fields, kinds, metrics = self._metrics(address, message, left)
            check_names(fields)
            if address.kind in ("NBIRTH", "DBIRTH"):
                self.nodes.born(address, _session_of(message), metrics)
        except CodecError:
            if address.kind in ("NBIRTH", "DBIRTH"):
                self.nodes.dead(address)
            raise
        return fields, kinds

    def _metrics(
        self, address: Address, message: Any, left: list[int]
    ) -> tuple[list[Field], dict[str, str], list[Metric]]:
        node = self.nodes.of(address)
        fields: list[Field] = []
        kinds: dict[str, str] = {}
        metrics: list[Metric] = []
        is_birth = address.kind in ("NBIRTH", "DBIRTH")
        for each in message.metrics:
            metric = self._known(address, Node() if is_birth else node, each)
            metrics.append(metric)
            if each.is_null:
                self.nulls += 1
                continue
            field = read_value(metric.name, metric.kind, each, left)
            fields.append(field)
            if usual(field) != metric.kind:
                kinds[field.id] = metric.kind
        return fields, kinds, metrics

    def _known(self, address: Address, node: Node, metric: Any) -> Metric:
        """Return the name and the type of a metric."""
        alias = metric.alias if metric.HasField("alias") else None
        known = node.aliases.get(alias) if alias is not None else None
        if known is not None and known.device != address.device:
            known = None  # aliases of a node's devices are its own, and never one another's
        if known is None and metric.name:
            known = node.names.get((address.device, metric.name))
        name = metric.name or (known.name if known else "")
        if known is not None and known.name != name:
            raise _UnknownError(
                f"alias {alias} is {known.name[:80]!r} by the birth, found {name!r:.80}"
            )
        kind = name_of(metric.datatype) if metric.datatype else known.kind if known else ""
        if name and kind:
            return Metric(address.device, name, kind, alias)
        which = f"metric {name[:80]!r}" if name else f"alias {alias}"
        raise _UnknownError(f"{which} is not known: it was in no birth")

    def _is_in_order(self, address: Address, message: Any) -> bool:
        """Return whether nothing is missing before a message, its node's birth included."""
        if not address.numbered:
            return True
        if not message.HasField("seq") or message.seq >= SEQUENCE:
            raise CodecError(f"{address.kind} has no sequence number of 0 to {SEQUENCE - 1}")
        in_order = self.nodes.in_order(address, message.seq)
        return in_order and (address.kind == "NBIRTH" or self.nodes.of(address).is_born)

    def _check_session(self, address: Address, message: Any) -> None:
        known, session = self.nodes.of(address).session, _session_of(message)
        if None not in (known, session) and known != session:
            raise CodecError(f"death of session {session}, and {known} is the present one")

    def _count(self, message: Any) -> None:
        mixed = len({each.is_historical for each in message.metrics}) > 1
        self._losses.details_lost += mixed + message.HasField("body") + message.HasField("uuid")
        for each in message.metrics:
            has_more = each.HasField("properties") or each.HasField("metadata")
            own_time = each.HasField("timestamp") and each.timestamp != message.timestamp
            self._losses.details_lost += has_more or own_time


def _attributes(message: Any, kinds: dict[str, str]) -> list[Field]:
    found = []
    if message.HasField("seq"):
        found.append(Field(SEQ, Type.LONG, message.seq))
    if any(each.is_historical for each in message.metrics):
        found.append(Field(HISTORICAL, Type.BOOLEAN, True))
    if kinds:
        found.append(Field(TYPES, Type.STRING, json.dumps(kinds, separators=(",", ":"))))
    return found


def _session_of(message: Any) -> int | None:
    for each in message.metrics:
        if each.name == SESSION:
            value: int = each.long_value if each.HasField("long_value") else each.int_value
            return value
    return None
