"""How long frames last on the bus, and how urgent they are."""

from typing import Final

from eventservices.cosmic.identifier import SRT_PRIORITIES

SRT_SLOT_US: Final = 1_000
"""Time to the deadline that one step of priority represents; microseconds."""


def frame_bits(data_bytes: int, *, extended: bool = True) -> int:
    """Return the length of a frame with the most stuff bits that it can have.

    Args:
        data_bytes: 0 .. 8.
        extended: Whether its identifier has 29 bits.

    Returns:
        Bits, the space between frames included; 160 for 8 bytes in the long format.

    Source:
        Tindell and Burns 1994, with 54 (34 in the short format) bits exposed to stuffing.
    """
    stuffed = (54 if extended else 34) + 8 * data_bytes
    return stuffed + 13 + (stuffed - 1) // 4


def frame_time_us(data_bytes: int, bit_rate: int, *, extended: bool = True) -> float:
    """Return how long a frame contains the bus.

    Args:
        data_bytes: 0 .. 8.
        bit_rate: Bits a second; 0 for a bus that needs no time.
        extended: Whether its identifier has 29 bits.
    """
    return frame_bits(data_bytes, extended=extended) * 1e6 / bit_rate if bit_rate else 0.0


def srt_priority(deadline_us: int, now_us: int, slot_us: int = SRT_SLOT_US) -> int:
    """Return the priority of a soft real-time frame: the nearer its deadline, the more urgent.

    Args:
        deadline_us: When it should have been sent.
        now_us: Of the same clock.
        slot_us: Time that one step of priority represents.

    Returns:
        1 (at the deadline, or past it) .. 250.
    """
    steps = 1 + (deadline_us - now_us) // slot_us
    return min(max(steps, SRT_PRIORITIES[0]), SRT_PRIORITIES[-1])
