"""What must hold after each step of each gateway, whatever was asked, published or broken."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from fes.control import from_event, is_signal, read_signal
from fes.control.signal import Acknowledgement
from fes.gateway import GatewayCore
from fes.gateway.custody.store import MARK, ROW
from fes.gateway.custody.transfer import MEMBERSHIP_WITHDRAWN
from fes.gateway.inputs import Input
from fes.gateway.journal_keys import END
from fes.gateway.outputs import Decided, Mutation, Output, PutRow, ToAdapter
from fes.gateway.scopes.managed import LATER
from fes.link.messages import HeardControl, Publish, PublishControl
from fes.model import attributes
from support.simulation.access import decoded

SYSTEM = "world"

Numbered = tuple[str, tuple[str, ...]]
"""An event, and where it goes."""


class Watch:
    """Looks at what gateways commit and order.

    Attributes:
        broken: What did not hold, in words.
        persistent: The persistent events, by identity as text.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.persistent: set[str] = set()
        self._journals: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[tuple[str, int], Numbered] = {}
        self._stopped: set[tuple[str, str, str]] = set()
        self._forwarded: Counter[tuple[str, int, str, str, str]] = Counter()

    def committed(self, gateway: str, mutations: Iterable[Mutation]) -> None:
        """Note what is in a gateway's journal now."""
        keys = self._journals[gateway]
        for mutation in mutations:
            if mutation.key.startswith((ROW, MARK)) or mutation.key[:1].isdigit():
                key = _without_home(mutation.key)
                (keys.add if isinstance(mutation, PutRow) else keys.discard)(key)

    def wiped(self, gateway: str) -> None:
        """Note that a gateway's journal was lost."""
        self._journals[gateway].clear()

    def performs(
        self, core: GatewayCore, life: int, message: Input, outputs: list[Output], now_us: int
    ) -> None:
        """Look at what a gateway is about to perform; its mutations are committed.

        Args:
            core: The gateway.
            life: How often it was started.
            message: What it was told.
            outputs: What it orders.
            now_us: The moment, federation clock.
        """
        gateway = core.settings.id
        self._bounded(gateway, core)
        self._agree(gateway, core)
        urgent: dict[str, int] = {}
        for output in outputs:
            if isinstance(output, Decided):
                self._goes_once(gateway, life, output)
            elif isinstance(output, ToAdapter):
                order = output.order
                if isinstance(order, Publish):
                    self._publishes(gateway, output.service, order, now_us)
                elif isinstance(order, PublishControl):
                    self._says(gateway, order, message, now_us)
                if isinstance(order, Publish | PublishControl) and order.row:
                    self._urgent_first(gateway, output.service, order, urgent)

    def _bounded(self, gateway: str, core: GatewayCore) -> None:
        """Nothing grows beyond its bound."""
        settings, custody = core.settings, core.delivery.custody
        rows, most = len(custody), 2 * max(settings.custody, settings.max_hops)
        if rows > most:  # else there are not so many for one destination, either
            rows = max(Counter(row.destination for row in custody).values())
        if rows > most or custody.marks > settings.marks or len(core.table) > settings.max_requests:
            self.broken.append(
                f"unbounded: {gateway} has {rows} rows for one, {custody.marks} marks"
            )

    def _agree(self, gateway: str, core: GatewayCore) -> None:
        """What a gateway knows is what its journal would give back."""
        custody = core.delivery.custody
        known = len(custody) + custody.marks + len(core.table)
        written = len(self._journals[gateway])
        if known != written:
            self.broken.append(f"forgetful: {gateway} knows {known} things, wrote down {written}")

    def _goes_once(self, gateway: str, life: int, decided: Decided) -> None:
        """Without custody, a gateway sends an event once to a destination in its life."""
        if decided.reason in (LATER, MEMBERSHIP_WITHDRAWN):
            self._stopped.add((gateway, decided.id, decided.to))
        if decided.decision != "forwarded" or not decided.id or decided.id in self.persistent:
            return
        key = (gateway, life, decided.id, decided.to, decided.what)
        self._forwarded[key] += 1
        if self._forwarded[key] > 1:
            self.broken.append(f"circling: {gateway} forwarded {decided.id} again to {decided.to}")

    def _publishes(self, gateway: str, service: str, order: Publish, now_us: int) -> None:
        identity = str(order.stamp.identity)
        if order.expires_us and order.expires_us <= now_us:
            self.broken.append(f"expired: {gateway} publishes {identity} at {service}")
        if order.row:
            self._held(gateway, order.row, (identity, (service,)))

    def _says(self, gateway: str, order: PublishControl, message: Input, now_us: int) -> None:
        if order.publication:
            given = from_event(decoded(order.body), None)
            identity = str(given.stamp.identity)
            until_us = attributes.expires_us(given.event, given.stamp.time_us) if given.event else 0
            if until_us and until_us <= now_us:
                self.broken.append(f"expired: {gateway} forwards {identity} to {given.dist_list}")
            if given.row:
                self._held(gateway, given.row, (identity, tuple(given.dist_list.split(","))))
        elif isinstance(message, HeardControl) and message.publication:
            self._acknowledges(gateway, order, message)

    def _held(self, gateway: str, row: int, goes: Numbered) -> None:
        """What is given in custody is in the journal, under a number that nothing else ever had."""
        identity, names = goes
        for name in names:
            if f"{ROW}{identity}\x1f{name}" not in self._journals[gateway]:
                self.broken.append(f"not durable: {gateway} gives {identity} for {name}")
        if self._numbers.setdefault((gateway, row), goes) != goes:
            self.broken.append(f"number used twice: {row} of {gateway}, for {goes}")

    def _acknowledges(self, gateway: str, order: PublishControl, message: HeardControl) -> None:
        """What a gateway acknowledges is in its journal, or was, or a change of scopes stops it."""
        said = decoded(order.body)
        if not is_signal(said) or not isinstance(read_signal(said, SYSTEM), Acknowledgement):
            return
        given = from_event(decoded(message.body), None)
        keys, identity = self._journals[gateway], given.stamp.identity
        for name in given.dist_list.split(","):
            written = any(f"{kind}{identity}\x1f{name}" in keys for kind in (ROW, MARK))
            stopped = (gateway, str(identity), name) in self._stopped
            if not (written or stopped) and name not in given.path:
                self.broken.append(f"not durable: {gateway} acknowledges {identity} for {name}")

    def _urgent_first(
        self, gateway: str, service: str, order: Publish | PublishControl, urgent: dict[str, int]
    ) -> None:
        """Of the rows that a gateway sends at a service in one step, larger priorities go first."""
        if order.priority > urgent.setdefault(service, order.priority):
            self.broken.append(f"not urgent first: {gateway} sends {order} at {service}")
        urgent[service] = order.priority


def _without_home(key: str) -> str:
    """The key of a row or mark without the home at its end; in a world each identity has one."""
    return key.removesuffix(END).rpartition(END)[0] if key.startswith((ROW, MARK)) else key
