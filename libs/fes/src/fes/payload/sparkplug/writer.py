"""Events as Sparkplug payloads: metrics with names and types, and without aliases.

Source:
    Eclipse Sparkplug 3.0.0, chapter 6 (payloads).
"""

import math
import struct
from collections import OrderedDict

from fes.errors import CodecError
from fes.model import Event, Field
from fes.model.strict import parse_json
from fes.payload.losses import Losses
from fes.payload.sparkplug.attributes import HISTORICAL, SEQ, TYPES
from fes.payload.sparkplug.nodes import MAX_NODES, SEQUENCE
from fes.payload.sparkplug.topics import Address
from fes.payload.sparkplug.values import NUMBERS, usual, write_value
from fes.payload.sparkplug.wire import PAYLOAD


class SparkplugWriter:
    """Writes Sparkplug messages.

    Args:
        losses: Counts what has no place.
    """

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._sent: OrderedDict[tuple[str, str], int] = OrderedDict()

    def write(
        self,
        address: Address,
        parameters: tuple[Field, ...],
        attributes: tuple[Field, ...],
        time_us: int,
    ) -> bytes:
        """Return the payload of an event; its metrics have names and types, and no aliases.

        Raises:
            CodecError: A parameter cannot be a metric; the message names it.
        """
        told = {field.id: field.value for field in attributes}
        kinds, time_ms = _kinds_of(told.get(TYPES)), max(time_us // 1000, 0)
        message = PAYLOAD(timestamp=time_ms)
        for field in parameters:
            kind = kinds.get(field.id) or usual(field)
            if kind not in NUMBERS:
                raise CodecError(f"metric {field.id[:80]!r}: {_called(field)} has no data type")
            metric = message.metrics.add(name=field.id, timestamp=time_ms, datatype=NUMBERS[kind])
            if told.get(HISTORICAL) is True:
                metric.is_historical = True
            write_value(metric, field, kind)
            if kind == "Float" and _is_rounded(field.value):
                self._losses.precision_lost += 1
        if address.numbered:
            message.seq = self._sequence(address, told.get(SEQ))
        made: bytes = message.SerializeToString(deterministic=True)
        return made

    def _sequence(self, address: Address, told: object) -> int:
        key = (address.group, address.node)
        number = 0 if address.kind == "NBIRTH" else self._sent.get(key, 0)
        if isinstance(told, int) and 0 <= told < SEQUENCE:
            number = told
        self._sent[key] = (number + 1) % SEQUENCE
        self._sent.move_to_end(key)
        while len(self._sent) > MAX_NODES:
            self._sent.popitem(last=False)
        return number


def _kinds_of(text: object) -> dict[str, str]:
    if text is None:
        return {}
    found = parse_json(text) if isinstance(text, str) else None
    if not isinstance(found, dict) or not all(each in NUMBERS for each in found.values()):
        raise CodecError(f"attribute {TYPES}: expected an object of data types")
    return found


def _is_rounded(value: float) -> bool:
    try:
        single: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return True
    return single != value and not math.isnan(value)


def _called(field: Field) -> str:
    return "an object" if isinstance(field.value, Event) else f"{field.value!r:.40}"
