"""The traffic path without pacing: CAN frames of some vehicles, to the city.

can-sim ─ cns ═ g-v ═ steam ))) ((( steam ═ g-m ═ siena ─ consumer
"""

import sys
from functools import partial

from case import Case
from command import main
from federation import write_traffic

STARTS = {1: 7000.0, 5: 7000.0, 20: 6500.0, 60: 6000.0}
"""Vehicles to the rate that their sweep begins with; events a second."""

CASES = tuple(
    Case("traffic", vehicles, start, "siena", partial(write_traffic, vehicles=vehicles))
    for vehicles, start in STARTS.items()
)

if __name__ == "__main__":
    sys.exit(main(CASES))
