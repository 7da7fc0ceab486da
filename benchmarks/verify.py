"""Every delivered event against the ground truth: lost, duplicate, altered, and how late."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from eventservices.stamp import Stamp


class Delivery(msgspec.Struct, array_like=True):
    """An event as the far client had it.

    Attributes:
        wall_us: When, microseconds since 1970 UTC.
        stamp: Its stamp; None where it had none.
        subject: Its subject.
        licence: The vehicle's licence.
        rate: The speed, km/h.
    """

    wall_us: int
    stamp: Stamp | None
    subject: str
    licence: Any
    rate: Any


class Frame(msgspec.Struct):
    """A line of the ground truth."""

    wall_us: int
    time_us: int
    vehicle: str
    licence: str
    rate: int
    id: str
    sent: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the frames that were put on the buses.

    Attributes:
        sent: Frames put on a bus.
        unsent: Frames that the source itself could not send.
        delivered: Different ones that came.
        lost: Those that did not.
        duplicate: Deliveries of what had come before.
        altered: Deliveries that no frame has, or whose content or stamp is not the frame's.
        sent_s: From the first frame to the last; seconds.
        through_s: From the first frame to the last delivery; seconds.
        drained_s: From the last frame to the last delivery; seconds.
        p50_ms, p99_ms: Latency, from before a frame is sent to the far client.
    """

    sent: int
    unsent: int
    delivered: int
    lost: int
    duplicate: int
    altered: int
    sent_s: float
    through_s: float
    drained_s: float
    p50_ms: float
    p99_ms: float

    @property
    def clean(self) -> bool:
        """Whether nothing was lost, duplicated or altered."""
        return not (self.lost or self.duplicate or self.altered or self.unsent)


_frames = msgspec.json.Decoder(Frame)
_deliveries = msgspec.msgpack.Decoder(list[Delivery])


def read_truth(path: Path) -> list[Frame]:
    """Return the lines of a ground truth."""
    return _frames.decode_lines(path.read_bytes())


def read_deliveries(path: Path) -> list[Delivery]:
    """Return what the consumer wrote."""
    return _deliveries.decode(path.read_bytes())


def judge(frames: Sequence[Frame], deliveries: Sequence[Delivery]) -> Verdict:
    """Compare what came with what was sent."""
    sent = {frame.id: frame for frame in frames if frame.sent}
    latencies_us: dict[str, int] = {}
    duplicate = altered = 0
    for delivery in deliveries:
        name = _name(delivery.stamp)
        frame = sent.get(name)
        if frame is None or not _same(frame, delivery):
            altered += 1
        elif name in latencies_us:
            duplicate += 1
        else:
            latencies_us[name] = delivery.wall_us - frame.wall_us
    first_us = min((frame.wall_us for frame in sent.values()), default=0)
    last_us = max((frame.wall_us for frame in sent.values()), default=0)
    came_us = max((delivery.wall_us for delivery in deliveries), default=last_us)
    ordered = sorted(latencies_us.values())
    return Verdict(
        sent=len(sent),
        unsent=len(frames) - len(sent),
        delivered=len(latencies_us),
        lost=len(sent) - len(latencies_us),
        duplicate=duplicate,
        altered=altered,
        sent_s=(last_us - first_us) / 1e6,
        through_s=(came_us - first_us) / 1e6,
        drained_s=(came_us - last_us) / 1e6,
        p50_ms=_share(ordered, 0.5) / 1e3,
        p99_ms=_share(ordered, 0.99) / 1e3,
    )


def _name(stamp: Stamp | None) -> str:
    return "" if stamp is None else f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}"


def _same(frame: Frame, delivery: Delivery) -> bool:
    stamp = delivery.stamp
    return (
        stamp is not None
        and delivery.subject == "Speed"
        and delivery.licence == frame.licence
        and type(delivery.rate) is float
        and delivery.rate == frame.rate
        and stamp.time_us == frame.time_us
        and stamp.home == f"cns-v-{frame.vehicle}"
    )


def _share(ordered: Sequence[int], share: float) -> float:
    """Return the value that a share of an ordered sequence does not exceed; 0 where it is empty."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
