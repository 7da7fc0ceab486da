"""What is remembered of what was sent, best effort: within its bounds, and over replicas."""

from fes.gateway.forwarding.sent_window import SentWindow, reserve_key
from fes.gateway.turn import Turn
from fes.model import Stamp
from support.gateways.cores import NOW, core_of

ORIGINS = 3


def stamp(origin: str, sequence: int) -> Stamp:
    return Stamp(origin, 1, sequence, NOW.time_us, "north")


def test_what_other_replicas_reserve_is_remembered_of_so_many_origins_and_no_more() -> None:
    settings = core_of("north", "south", origins=ORIGINS).settings
    window = SentWindow(settings, {"south": None})
    for number in range(ORIGINS + 1):
        key = reserve_key(stamp(f"car{number}", 1), "south", "")
        window.reserved_elsewhere(key, b"10")

    repeated = [
        window.repeated(stamp(f"car{number}", 5), "south", Turn(NOW, 0))
        for number in reversed(range(ORIGINS + 1))
    ]

    assert repeated == [True] * ORIGINS + [False], "the oldest is forgotten"
