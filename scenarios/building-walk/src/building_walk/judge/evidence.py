"""What clients wrote, and which services were away when."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from building_walk.story import DESK, Outage, Record

BACK_S: Final = 8.0
"""How long after its process lives again a service may lose what is best-effort."""

Key = tuple[str, int]
"""Name of an event, and its number."""


class Evidence:
    """Records and outages of a run, in the forms that promises need.

    Args:
        records: As the clients wrote them; those of before the walk do not count.
        outages: As they were written by who killed the services.
    """

    def __init__(self, records: Iterable[Record], outages: Iterable[Outage] = ()) -> None:
        self.outages = list(outages)
        self.published: dict[Key, Record] = {}
        self.refused: list[Record] = []
        self.received: dict[str, dict[Key, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in records:
            if record.what == "refused":
                self.refused.append(record)
            elif record.number < 0:
                continue
            elif record.what == "published":
                self.published.setdefault((record.event, record.number), record)
            else:
                self.received[record.client][record.event, record.number].append(record)

    @property
    def desks(self) -> dict[str, dict[Key, list[Record]]]:
        """What desks received, by room."""
        start = f"{DESK}-"
        return {
            client.removeprefix(start): each
            for client, each in self.received.items()
            if client.startswith(start)
        }

    def was_away(self, services: Iterable[str], from_s: float, until_s: float) -> bool:
        """Return whether a service, or an adapter of it, was away in a time.

        Args:
            services: Names of processes, or of gateways, whose adapters count as well.
            from_s: Its beginning, seconds since 1970 UTC.
            until_s: Its end, likewise; included.
        """
        names = tuple(services)
        return any(
            outage.from_s <= until_s and from_s <= outage.until_s + BACK_S
            for outage in self.outages
            if outage.name in names or outage.name.partition(".")[0] in names
        )
