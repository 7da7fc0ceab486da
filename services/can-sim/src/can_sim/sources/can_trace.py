"""Traces from CAN logs: the speed from the frames, the place from a second file.

Frames of identifier 12345 name their vehicle by its licence. In any other layout, one channel of
one log is one vehicle.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eventservices.canlog.j1939 import sender_of

from can_sim.canlog.dbc import load
from can_sim.canlog.frame import Kind, LogFrame
from can_sim.canlog.reader import read_frames
from can_sim.canlog.speed import SPEED_KEY, Key, SpeedSignal, find_signal
from can_sim.errors import InputError
from can_sim.moment import SECOND_US
from can_sim.opening import stem_of
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.outliers import Reading, without_outliers
from can_sim.sources.positions import Positions
from can_sim.tally import Tally

LICENCE_BYTES = 7


@dataclass(frozen=True, slots=True)
class CanSource:
    """A CAN log and what is needed to read it as a trace.

    Attributes:
        log: The log.
        dbc: Definitions of its frames; without, only frames of identifier 12345 are read.
        signal: The signal that tells the speed; found by unit and name where empty.
        align: Whether the positions begin when the log does, whatever their own times.
    """

    log: Path
    dbc: Path | None = None
    signal: str = ""
    align: bool = False


def read(source: CanSource, positions: Positions, tally: Tally) -> Trace:
    """Return the trace that a CAN log tells; its samples keep the log's own times.

    Of several frames of a vehicle within one whole second the latest is kept.

    Args:
        source: The log.
        positions: Where the vehicles were.
        tally: Counts what is left out: `error_frame`, `remote_frame`, `other_frame`, `no_time`,
            `more_than_one_a_second`, `no_position`, `other_sender`, `implausible`, and the
            reasons of `SpeedSignal.speed_kmh`.

    Raises:
        InputError: A file cannot be read, there is no speed signal, or the positions are of
            another time than the log.
    """
    found = Tally()
    keys, channels = _survey(source.log, found)
    signal = None
    if source.dbc is not None:
        database = load(source.dbc, tally)
        try:
            signal = find_signal(database, str(source.dbc), source.signal, keys)
        except InputError as error:
            if not found.skipped:
                raise
            raise InputError(f"{error}; of {source.log}, {found.explain()}") from error
        tally.note(f"{source.dbc}: the speed is {signal.name}, in {signal.signal.unit or 'km/h'}")
    names = _vehicle_names(stem_of(source.log), channels)
    told = without_outliers(_readings(source.log, signal, names, tally), tally)
    latest = _latest_each_second(told, tally)
    kept = _of_one_sender(latest, signal, tally)
    samples = _placed(kept, source, positions, tally)
    tally.take(len(samples))
    return Trace(samples, Sampling.KEPT)


def _survey(log: Path, tally: Tally) -> tuple[set[Key], list[str]]:
    keys: set[Key] = set()
    channels: dict[str, None] = {}
    for frame in read_frames(log, tally):
        if frame.kind is Kind.DATA:
            keys.add((frame.can_id, frame.extended))
            channels[frame.channel] = None
    return keys, sorted(channels)


def _vehicle_names(stem: str, channels: list[str]) -> dict[str, str]:
    if len(channels) == 1:
        return {channels[0]: stem}
    return {channel: f"{stem}-{channel}" for channel in channels}


def _readings(
    log: Path, signal: SpeedSignal | None, names: dict[str, str], tally: Tally
) -> Iterator[Reading]:
    for frame in read_frames(log, tally):
        if frame.kind is not Kind.DATA:
            tally.skip(f"{frame.kind.value}_frame")
        elif not _tells_speed(frame, signal):
            tally.skip("other_frame")
        elif frame.time_us is None:
            tally.skip("no_time")
        else:
            speed, reason = _speed(frame, signal)
            if speed is None:
                tally.skip(reason)
            else:
                sender = sender_of(frame.can_id) if signal and signal.group else -1
                yield Reading(frame.time_us, _vehicle(frame, names), speed, sender)


def _tells_speed(frame: LogFrame, signal: SpeedSignal | None) -> bool:
    if signal is None:
        return (frame.can_id, frame.extended) == SPEED_KEY
    return signal.is_in(frame.can_id, extended=frame.extended)


def _speed(frame: LogFrame, signal: SpeedSignal | None) -> tuple[float | None, str]:
    licensed = (frame.can_id, frame.extended) == SPEED_KEY
    if licensed and len(frame.data) <= LICENCE_BYTES:
        return None, "short_frame"
    if signal is not None:
        return signal.speed_kmh(frame.data)
    return float(frame.data[LICENCE_BYTES]), ""


def _vehicle(frame: LogFrame, names: dict[str, str]) -> str:
    if (frame.can_id, frame.extended) != SPEED_KEY:
        return names[frame.channel]
    licence = frame.data[:LICENCE_BYTES].decode("ascii", "backslashreplace")
    return licence.rstrip("\0") or "none"


def _latest_each_second(readings: Iterator[Reading], tally: Tally) -> list[Reading]:
    latest: dict[tuple[str, int, int], Reading] = {}
    for reading in readings:
        key = (reading.vehicle, reading.sender, reading.time_us // SECOND_US)
        before = latest.get(key)
        if before is not None:
            tally.skip("more_than_one_a_second")
        if before is None or reading.time_us >= before.time_us:
            latest[key] = reading
    return list(latest.values())


def _of_one_sender(
    readings: list[Reading], signal: SpeedSignal | None, tally: Tally
) -> list[Reading]:
    """Return each vehicle's readings of the sender that tells most; several parts tell a speed."""
    counts: dict[str, Counter[int]] = {}
    for reading in readings:
        counts.setdefault(reading.vehicle, Counter())[reading.sender] += 1
    chosen = {}
    for vehicle, senders in counts.items():
        most = max(senders.values())
        chosen[vehicle] = min(sender for sender, count in senders.items() if count == most)
        if len(senders) > 1 and signal is not None:
            others = ", ".join(f"0x{one:02X}" for one in sorted(senders) if one != chosen[vehicle])
            tally.note(
                f"vehicle {vehicle}: {signal.name} has several senders; 0x{chosen[vehicle]:02X}, "
                f"which tells most, is read, and not {others}"
            )
    kept = [one for one in readings if one.sender == chosen[one.vehicle]]
    if len(kept) < len(readings):
        tally.skip("other_sender", len(readings) - len(kept))
    return kept


def _placed(
    readings: list[Reading], source: CanSource, positions: Positions, tally: Tally
) -> list[Sample]:
    if readings and source.align:
        positions.align(min(reading.time_us for reading in readings))
    samples = []
    for reading in readings:
        place = positions.at(reading.vehicle, reading.time_us)
        if place is None:
            tally.skip("no_position")
        else:
            samples.append(Sample(reading.time_us, reading.vehicle, *place, reading.speed_kmh))
    if readings and not samples:
        raise InputError(
            f"no position at any time of {source.log}; --align has both begin together",
            positions.file,
        )
    return samples
