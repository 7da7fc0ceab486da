"""What is played, and what must come of it. It knows nothing of the product.

Source:
    M. Aleksy, L. Köblitz, M. Schader, "MEDIator: A Tool for Automatic Management of Event Domains",
    figure 2. The figure's cycle lies around channels 4 and 5.
"""

from collections import Counter
from typing import Final

CHANNELS: Final = 6
EDGES: Final = ((2, 0), (2, 3), (3, 1), (1, 0), (4, 5), (5, 4))
DEFAULT_SUPPLIER: Final = 2
SUPPLIERS: Final = {1: None, 2: 3, 3: 5}
"""By supplier, the channel that it names; the first names none and uses the default one."""

CONSUMERS: Final = {1: None, 2: 4}
"""By consumer, likewise; the default for consumers stays the first channel."""

DIAMOND: Final = [[2, 0], [2, 3, 1, 0]]
CYCLE: Final = [4, 5]


def name(supplier: int, number: int) -> str:
    """Return what an event carries."""
    return f"supplier {supplier}, event {number}"


def expected(events: int, bound: int, *, repetitions: bool) -> dict[int, Counter[str]]:
    """Return how often each consumer must get each event.

    Args:
        events: Events of each supplier.
        bound: Connections that an event passes before it ends.
        repetitions: Whether the consumers request repetitions.
    """
    twice, round_ = (2, (bound + 1) // 2) if repetitions else (1, 1)
    one = Counter({name(1, each): twice for each in range(events)})
    one.update({name(2, each): 1 for each in range(events)})
    return {1: one, 2: Counter({name(3, each): round_ for each in range(events)})}
