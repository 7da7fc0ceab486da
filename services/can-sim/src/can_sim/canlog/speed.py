"""The speed among the signals of a DBC."""

from collections.abc import Collection
from dataclasses import dataclass

from cantools.database import Database, Message
from cantools.database.can.signal import Signal
from eventservices.canlog.j1939 import (
    ERROR_OCTET,
    RESERVED_OCTET,
    VALUE_BITS,
    group_of,
    speaks_j1939,
)

from can_sim.canlog.signals import decode
from can_sim.columns import KMH_PER_UNIT, MOST_SPEED
from can_sim.errors import InputError

Key = tuple[int, bool]
"""Identifier of a frame, and whether it is extended."""

SPEED_KEY: Key = (12345, True)
"""The frame that carries a licence in its bytes 0 to 6 and km/h in byte 7."""

_WANTED = (("vehicle", 8), ("veh", 4), ("speed", 4), ("spd", 3), ("velocity", 2))
_UNWANTED = ("limit", "rel", "cruise", "set", "lockout", "trgt", "target", "wind", "map", "gps")
_LESS_WANTED = ("whl", "wheel")
_RANGE_SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class SpeedSignal:
    """A signal that tells a vehicle's speed.

    Attributes:
        message: The message that holds it.
        signal: Its definition.
        factor: What its value is multiplied by to give km/h.
        group: Whether every identifier of the message's parameter group (SAE J1939) carries it.
    """

    message: Message
    signal: Signal
    factor: float
    group: bool = False

    @property
    def key(self) -> Key:
        """Which frames carry it."""
        return self.message.frame_id, self.message.is_extended_frame

    def is_in(self, can_id: int, *, extended: bool) -> bool:
        """Return whether a frame carries it: by its identifier, or by its parameter group."""
        if self.group and extended:
            return group_of(can_id) == group_of(self.message.frame_id)
        return (can_id, extended) == self.key

    @property
    def name(self) -> str:
        """`MESSAGE.SIGNAL`."""
        return f"{self.message.name}.{self.signal.name}"

    def speed_kmh(self, data: bytes) -> tuple[float | None, str]:
        """Return the speed that a frame tells, km/h, or None and the reason.

        Reasons: `short_frame` (the signal's bits are not all there), `undecoded_0x…` (a selector
        that the DBC does not know), `not_selected` (another group of a multiplexed message),
        `not_available` (all bits set, or out of the signal's range), `error_value` (SAE J1939).
        """
        decoded = decode(self.message, data)
        raw = decoded.raw.get(self.signal.name)
        if raw is None:
            return None, self._absent(decoded.unknown_selectors, short=decoded.short)
        value = decoded.values[self.signal.name]
        if self.group and self._top_octet(raw) >= RESERVED_OCTET:
            return None, "error_value" if self._top_octet(raw) == ERROR_OCTET else "not_available"
        if self._all_ones(raw) or not self._in_range(value):
            return None, "not_available"
        return value * self.factor, ""

    def _absent(self, unknown: Collection[str], *, short: bool) -> str:
        if self.signal.multiplexer_signal in unknown:
            return f"undecoded_0x{self.message.frame_id:X}"
        return "short_frame" if short else "not_selected"

    def _top_octet(self, raw: int) -> int:
        signal = self.signal
        if signal.is_signed or signal.conversion.is_float or signal.length not in VALUE_BITS:
            return 0
        return raw >> (signal.length - 8)

    def _all_ones(self, raw: int) -> bool:
        # In the speed frame 255 is a speed that saturated, not one that is missing.
        special = self.key == SPEED_KEY or self.signal.length < 2
        return not special and raw == (1 << self.signal.length) - 1 and not self.signal.is_signed

    def _in_range(self, value: float) -> bool:
        low, high = self.signal.minimum, self.signal.maximum
        if low is None or high is None or low >= high:
            return abs(value) <= MOST_SPEED  # neither NaN nor infinite
        slack = _RANGE_SLACK * max(1.0, abs(low), abs(high))
        return low - slack <= value <= high + slack


def find_signal(
    database: Database, file: str, wanted: str = "", keys: Collection[Key] | None = None
) -> SpeedSignal:
    """Return the signal that tells the speed.

    Args:
        database: The definitions.
        file: Their file, for errors.
        wanted: `SIGNAL` or `MESSAGE.SIGNAL`; chosen by unit and name where empty.
        keys: Frames that the log contains; others are not considered. All where None.

    Raises:
        InputError: There is none, or `wanted` names none or several.
    """
    found = [
        SpeedSignal(
            message, signal, KMH_PER_UNIT.get(_unit(signal), 1.0), _is_group(database, message)
        )
        for message in database.messages
        for signal in message.signals
        if _eligible(message, signal, wanted)
    ]
    if not found:
        what = f"no signal {wanted}" if wanted else "no signal with a unit of speed (km/h, mph)"
        raise InputError(f"defines {what}; give one with --signal", file)
    held = [one for one in found if keys is None or _held(one, keys)]
    if not held:
        names = ", ".join(one.name for one in found[:3])
        raise InputError(f"the log holds no frame of {names}", file)
    return _choose(held, file, wanted)


def _held(one: SpeedSignal, keys: Collection[Key]) -> bool:
    if not one.group:
        return one.key in keys
    return any(one.is_in(can_id, extended=extended) for can_id, extended in keys)


def _is_group(database: Database, message: Message) -> bool:
    of_all = database.dbc.attributes.get("ProtocolType") if database.dbc else None
    own = message.dbc.attributes.get("VFrameFormat") if message.dbc else None
    told = str(of_all.value) if of_all else ""
    return message.is_extended_frame and speaks_j1939(message.protocol, told, own)


def _choose(found: list[SpeedSignal], file: str, wanted: str) -> SpeedSignal:
    if wanted and len(found) > 1:
        names = ", ".join(one.name for one in found[:5])
        raise InputError(f"--signal {wanted} means several: {names}", file)
    return min(found, key=lambda one: (-_score(one), one.key, one.signal.start))


def _eligible(message: Message, signal: Signal, wanted: str) -> bool:
    if wanted:
        return wanted in (signal.name, f"{message.name}.{signal.name}")
    return _unit(signal) in KMH_PER_UNIT


def _unit(signal: Signal) -> str:
    return (signal.unit or "").strip().lower().replace(" ", "")


def _score(one: SpeedSignal) -> int:
    name = one.signal.name.lower()
    good = sum(points for part, points in _WANTED if part in name)
    bad = 20 * any(part in name for part in _UNWANTED)
    return good - bad - 3 * any(part in name for part in _LESS_WANTED)
