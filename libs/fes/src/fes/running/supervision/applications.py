"""The applications of a run: each is started once what it needs is ready."""

import time
from collections.abc import Callable, Mapping

from fes.errors import AdapterError
from fes.federation.model import Federation
from fes.running.faults import Faults, one_line
from fes.running.needs import Needs, needs_of
from fes.running.plan import Part, application_part, plays
from fes.running.readiness import Patience, answers, until
from fes.running.supervision.beginning import TraceStart
from fes.running.supervision.children import Children
from fes.running.supervision.console import Console
from fes.running.supervision.getting_ready import GettingReady
from fes.running.supervision.options import RunOptions

SHOWN = 3
"""Most parts that are named where an application waits for more."""


class Applications:
    """Starts the applications, and waits until they are ready.

    Args:
        federation: The file, resolved.
        written: The file, with commands not yet resolved.
        options: Options of the run.
        console: Prints lines for people.
        children: The processes.
        getting_ready: Knows whether gateways still make progress.
        faults: Gateways and adapters that are not ready.

    Attributes:
        ready: Names of the applications that are ready.
        before: Called before one is started.
    """

    def __init__(
        self,
        federation: Federation,
        written: Federation,
        options: RunOptions,
        console: Console,
        children: Children,
        getting_ready: GettingReady,
        faults: Faults,
    ) -> None:
        self.ready: set[str] = set()
        self.before: Callable[[], None] = lambda: None
        self._federation = federation
        self._needs = {name: needs_of(written, name) for name in written.applications}
        self._options = options
        self._console = console
        self._children = children
        self._getting_ready = getting_ready
        self._faults = faults

    async def run(self, name: str, values: Mapping[str, str], trace: TraceStart) -> None:
        """Start an application once what it needs is ready, and return when it is ready itself.

        Args:
            name: Name of the application.
            values: Values of `{name}` in its command.
            trace: The beginning of the trace, which is decided when the application that plays it
                starts.
        """
        await until(lambda: self._may_begin(name, self._needs[name]))
        self.before()
        if plays(self._federation, name):
            values = {**values, **trace.begin(self._children.slowest_s)}
        part = application_part(self._federation, name, values)
        await self._children.begin(part)
        await self._until_ready(part)
        self.ready.add(name)
        where = f" at {part.ready}" if part.ready else ""
        self._console.say(f"application: {name}{where}")

    async def _until_ready(self, part: Part) -> None:
        if not part.ready:
            return
        begun_s = time.monotonic()
        patience = Patience(self._options.ready_s)
        said = await answers(part.ready, patience, patience.faults)
        if not said:
            return
        log = self._children.all[part.name].log
        told = (
            f"{part.name}, for {time.monotonic() - begun_s:.0f} s, without progress for"
            f" {self._options.ready_s:.0f} s: {one_line(said)}; see {log}"
        )
        if self._options.require_all:
            raise AdapterError(f"not ready: {told}")
        self._console.say(f"not ready: {told}; it is waited for")
        await answers(part.ready, lambda: True)

    def _may_begin(self, name: str, needs: Needs) -> bool:
        if not self._getting_ready.looked or not self.ready.issuperset(needs.applications):
            return False
        missing = needs.parts & self._faults.reasons.keys()
        early = self._getting_ready.early()
        if not missing or (not needs.certain and not early):
            return True
        if not early:
            listed = ", ".join(sorted(missing)[:SHOWN])
            more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
            self._console.say_once(name, f"application {name} waits for {listed}{more}")
        return False
