"""The roster: where every gateway is, in its own words and those of its neighbours."""

from collections.abc import Iterator

from fes.control.signal import Attendance
from fes.federation.topology import Attachment, Topology
from fes.gateway.digest import Digest, digest_of

_UNHEARD = Attendance("", -1, -1)


class Roster:
    """Keeps the newest attendance of every gateway of the file.

    Args:
        topology: Who is attached where.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._known = dict.fromkeys(gateway for gateway, _ in topology.attachments)
        self._by_gateway: dict[str, Attendance] = {}
        self._digest = Digest()

    def __iter__(self) -> Iterator[Attendance]:
        """Iterate over the attendances, in the order in which gateways were heard of."""
        return iter(self._by_gateway.values())

    @property
    def digest(self) -> int:
        """Stands for all attendances: equal where the rosters are."""
        return self._digest.value

    def get(self, gateway: str) -> Attendance:
        """Return a gateway's attendance; its version is -1 where none was heard."""
        return self._by_gateway.get(gateway, _UNHEARD)

    def take(self, attendance: Attendance) -> bool:
        """Take an attendance; tell whether it is newer than what was known."""
        before = self.get(attendance.gateway)
        if attendance.gateway not in self._known or attendance.version <= before.version:
            return False
        if before.version >= 0:
            self._digest.remove(_digest(before))
        self._digest.add(_digest(attendance))
        self._by_gateway[attendance.gateway] = attendance
        return True

    def live(self) -> tuple[Attachment, ...]:
        """Return the attachments that work, in the order of the file.

        What nobody spoke of works. One works not where its gateway does not say so, or where a
        gateway that is there misses it and was not refuted since.
        """
        absent = {
            (missing.gateway, missing.service)
            for attendance in self
            for missing in attendance.missing
            if missing.service in attendance.at and missing.since >= self.get(missing.gateway).since
        }
        return tuple(
            (gateway, service)
            for gateway, service in self._topology.attachments
            if (gateway, service) not in absent and self._says_so(gateway, service)
        )

    def accused(self, gateway: str) -> Iterator[tuple[str, str]]:
        """Yield (gateway, event service) of those who miss a gateway and were not refuted."""
        since = self.get(gateway).since
        for attendance in self:
            for missing in attendance.missing:
                if missing.gateway == gateway and missing.since >= since:
                    yield attendance.gateway, missing.service

    def _says_so(self, gateway: str, service: str) -> bool:
        attendance = self._by_gateway.get(gateway)
        return attendance is None or service in attendance.at


def _digest(attendance: Attendance) -> int:
    return digest_of(attendance.gateway, attendance.version)
