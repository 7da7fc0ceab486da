"""The frame that tells a vehicle's speed.

Identifier 12345, which needs the 29-bit format; bytes 0 to 6 hold the licence in ASCII, byte 7
the speed in whole km/h.
"""

from dataclasses import dataclass
from math import floor

CAN_ID = 12345
MAX_RATE = 255


@dataclass(frozen=True, slots=True)
class SpeedFrame:
    """A frame's content.

    Attributes:
        data: The 8 data bytes.
        rate: The speed that they tell, km/h.
        saturated: Whether the true speed is out of the byte's range.
    """

    data: bytes
    rate: int
    saturated: bool


def speed_frame(licence: str, speed_kmh: float) -> SpeedFrame:
    """Return the frame of a licence and a speed.

    Args:
        licence: Seven ASCII characters.
        speed_kmh: Rounded half up, then held within 0 to 255.
    """
    exact = floor(speed_kmh + 0.5)
    rate = min(max(exact, 0), MAX_RATE)
    return SpeedFrame(licence.encode("ascii") + bytes((rate,)), rate, rate != exact)
