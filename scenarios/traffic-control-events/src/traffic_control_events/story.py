"""The story's names and numbers, which its federation, its clients and its judge have in common.

Source:
    FES thesis, section 6.4.
"""

from typing import Final

START_US: Final = 1_062_403_200_000_000
"""When the vehicle sets off, and the clock begins: 2003-09-01, 8:00 UTC."""

VEHICLE: Final = "FES0001"
"""Name of the vehicle, and its licence number."""

SPEED: Final = "Speed"
BRAKE: Final = "Brake"
"""What the vehicle publishes though nobody requested it: it must not leave the bus."""

SLOWEST_MPH, FASTEST_MPH = 20.0, 90.0
LIMIT_MPH: Final = 40.0
"""The city's client requests what is faster."""

BUS, SENDER, CITY = "cns-v", "steam-v", "siena-m"
MONITORS: Final = {"steam-m1": 350.0, "steam-m2": 550.0}
"""Access point of each monitor, and how far it is along the street, metres."""

GATEWAYS: Final = {"steam-m1": "g2", "steam-m2": "g3"}
"""Gateway of each monitor."""

RANGE_M: Final = 180.0
"""Radio range of a monitor; a vehicle's is larger, so that this one decides."""

INDEX: Final = "FES_Subject"
CONTROL: Final = "FES_ControlEvent"

TRACE: Final = "trace.csv"
SCRIPT: Final = "script.csv"
DRIVE: Final = "drive.json"
PLACES: Final = "monitors.csv"
SAID: Final = "said.jsonl"
HEARD: Final = "heard.jsonl"
SUPPRESSED: Final = "suppressed"
"""Type of the line that states how many second copies a client of SIENA did not pass on."""

SEEN_BUS, SEEN_AIR, SEEN_CITY = "seen-bus.jsonl", "seen-air.jsonl", "seen-city.jsonl"
