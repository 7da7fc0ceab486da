"""The traffic control office: the state that the REST interface shows and changes."""

from dataclasses import dataclass

from traffic_control.commander import Commander
from traffic_control.jsonlines import JsonLines
from traffic_control.limits import Limits
from traffic_control.offenders import Offenders
from traffic_control.siena import Siena


@dataclass(frozen=True, slots=True)
class Office:
    """The parts of a running traffic-control.

    Attributes:
        siena: Its place on SIENA.
        commander: Sends the commands.
        limits: Limits of all monitors.
        offenders: The log of offenders.
        logs: Its files.
    """

    siena: Siena
    commander: Commander
    limits: Limits
    offenders: Offenders
    logs: tuple[JsonLines, ...]

    @property
    def faults(self) -> dict[str, str]:
        """Reasons by part that keep it from being ready.

        It is ready once every limit has been applied, while SIENA proves a round trip and the
        files can be written.
        """
        faults = {"siena": self.siena.fault} if self.siena.fault else {}
        files = {log.name: log.fault for log in self.logs if log.fault}
        return {**faults, **files, **self.limits.faults}
