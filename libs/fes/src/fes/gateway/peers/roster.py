"""The roster: where every gateway is, as it states itself and as its neighbours see it."""

from collections.abc import Iterator

from fes.control.signal import Attendance
from fes.federation.topology import Attachment, Topology
from fes.gateway.digest import Digest, digest_of

_UNHEARD = Attendance("", -1, -1)


class Roster:
    """Keeps the newest attendance of every gateway of the file.

    The attachments that work are updated with each attendance, at the cost of what it changes.

    Args:
        topology: Who is attached where.

    Attributes:
        changes: How often an attachment came to work, or no longer did.
    """

    def __init__(self, topology: Topology) -> None:
        self.changes = 0
        self._topology = topology
        self._services: dict[str, dict[str, None]] = {}
        for gateway, service in topology.attachments:
            self._services.setdefault(gateway, {})[service] = None
        self._by_gateway: dict[str, Attendance] = {}
        self._accusers: dict[Attachment, dict[str, int]] = {}
        self._down: dict[Attachment, None] = {}
        self._digest = Digest()

    def __iter__(self) -> Iterator[Attendance]:
        """Iterate over the attendances, in the order in which gateways became known."""
        return iter(self._by_gateway.values())

    @property
    def digest(self) -> int:
        """The digest of all attendances: equal where the rosters are equal."""
        return self._digest.value

    def get(self, gateway: str) -> Attendance:
        """Return a gateway's attendance; its version is -1 where none was received."""
        return self._by_gateway.get(gateway, _UNHEARD)

    def take(self, attendance: Attendance) -> bool:
        """Accept an attendance; return whether it is newer than what was known."""
        gateway = attendance.gateway
        before = self.get(gateway)
        if gateway not in self._services or attendance.version <= before.version:
            return False
        if before.version >= 0:
            self._digest.remove(_digest(before))
        self._digest.add(_digest(attendance))
        self._by_gateway[gateway] = attendance
        touched = {(gateway, service): None for service in self._services[gateway]}
        touched |= self._accuse(before, attendance)
        for attachment in touched:
            self._look_at(attachment)
        return True

    def live(self) -> tuple[Attachment, ...]:
        """Return the attachments that work, in the order of the file.

        An attachment of an unknown gateway works. One does not work where its gateway does not
        state it, or where a gateway that is there misses it and was not refuted since.
        """
        return tuple([each for each in self._topology.attachments if each not in self._down])

    def accused(self, gateway: str) -> Iterator[tuple[str, str]]:
        """Yield (gateway, event service) of those that miss a gateway and were not refuted."""
        since = self.get(gateway).since
        for service in self._services.get(gateway, ()):
            for accuser, missed in self._accusers.get((gateway, service), {}).items():
                if missed >= since:
                    yield accuser, service

    def _accuse(self, before: Attendance, after: Attendance) -> dict[Attachment, None]:
        """Note which gateways one misses now; return the attachments for which that changed."""
        touched: dict[Attachment, None] = {}
        for missing in before.missing:
            touched[missing.gateway, missing.service] = None
            accusers = self._accusers.get((missing.gateway, missing.service), {})
            accusers.pop(before.gateway, None)
            if not accusers:
                self._accusers.pop((missing.gateway, missing.service), None)
        for missing in after.missing:
            touched[missing.gateway, missing.service] = None
            if missing.service in self._services.get(missing.gateway, ()):
                accusers = self._accusers.setdefault((missing.gateway, missing.service), {})
                accusers[after.gateway] = missing.since
        return touched

    def _look_at(self, attachment: Attachment) -> None:
        """Update whether an attachment works."""
        gateway, service = attachment
        if service not in self._services.get(gateway, ()):
            return
        works = self._says_so(gateway, service) and not self._is_missed(gateway, service)
        if works is (attachment in self._down):
            self.changes += 1
            if works:
                del self._down[attachment]
            else:
                self._down[attachment] = None

    def _is_missed(self, gateway: str, service: str) -> bool:
        since = self.get(gateway).since
        return any(
            missed >= since and service in self.get(accuser).at
            for accuser, missed in self._accusers.get((gateway, service), {}).items()
        )

    def _says_so(self, gateway: str, service: str) -> bool:
        attendance = self._by_gateway.get(gateway)
        return attendance is None or service in attendance.at


def _digest(attendance: Attendance) -> int:
    return digest_of(attendance.gateway, attendance.version)
