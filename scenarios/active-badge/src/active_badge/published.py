"""What the thesis published: margins of its data, its counts and its times.

Source:
    Smart-building thesis, tables 1 to 8 and section 6.2.1.
"""

from typing import Final, Literal

Class = Literal["equipment", "unlisted", "user"]
Way = Literal["no filter", "filter", "policy"]

SIGHTINGS: Final = 35_811
HOURS: Final = 21
STATIONS: Final = 118

BIG_BROTHER: Final[dict[str, tuple[Class, int]]] = {
    "BBSEquip": ("equipment", 23_578),
    "BBSUnlist": ("unlisted", 2_299),
    "BBSUser": ("user", 9_934),
}

NETWORKS: Final = {
    "CL-ArupExtn#8": 52,
    "CL-ArupMain#8": 22,
    "ORL-Home#5": 7,
    "ORL-Net#0": 2_125,
    "ORL-Net#1": 5_703,
    "ORL-Net#2": 6_932,
    "ORL-Net#4": 2_582,
    "ORL-Net#5": 5_023,
    "ORL-Net#6": 2_075,
    "ORL-Net#7": 1_899,
    "ORL-Three#8": 7_144,
    "ORL-Three#9": 2_247,
}

SOURCES: Final = (0, 1, 5, 10)
SUBSCRIBING_MS: Final[dict[Way, tuple[float, ...]]] = {
    "no filter": (5_350, 5_517, 5_996, 7_552),
    "filter": (6_896, 6_855, 7_410, 8_771),
    "policy": (6_016, 6_282, 8_438, 10_286),
}
UNSUBSCRIBING_MS: Final[dict[Way, tuple[float, ...]]] = {
    "no filter": (1_275, 1_303, 1_413, 1_629),
    "filter": (1_282, 1_301, 1_401, 1_534),
    "policy": (1_279, 1_302, 1_384, 1_514),
}
ADVERTISING_MS: Final = 3_628.06
UNADVERTISING_MS: Final = 142.14
BUSES: Final = (1, 5, 10)
NOTIFYING_MS: Final[dict[Way, tuple[float, ...]]] = {
    "filter": (29, 86.2, 151.3),
    "no filter": (29, 82.8, 147.4),
}


def decrease(filtered: int) -> str:
    """Return by how much a filter lessens the events, as the tables show it."""
    return f"{100 * (1 - filtered / SIGHTINGS):.2f}%"
