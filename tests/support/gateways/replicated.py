"""Cores of several replicas of one gateway over one journal, without a service around them."""

from collections.abc import Mapping
from typing import Any

from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Input, LinkUp
from fes.gateway.outputs import ForLeader, Mutation, Output, PutRow
from fes.gateway.replication import INBOX, Role, Tail, write_forwarded
from fes.gateway.settings import Instant
from support.gateways.cores import NOW, topology_of


class Replicas:
    """Replicas that commit at once and hear at once of what others committed.

    Args:
        settings: Of the gateway.
        names: Of the replicas; the first leads.
        link: How every adapter is linked to every replica.

    Attributes:
        state: What the journal adds up to.
        cores: By name; those that live.
        told: What each ordered and decided, oldest first.
    """

    def __init__(self, settings: GatewaySettings, *names: str, link: LinkUp | None = None) -> None:
        self.state: dict[str, bytes] = {}
        self.cores: dict[str, GatewayCore] = {}
        self.told: list[tuple[str, Output]] = []
        self._settings = settings
        self._link = link or LinkUp()
        self._started = NOW.wall_us
        self._forwarded = 0
        for name in names:
            self.start(name)
        self.lead(names[0])

    def start(self, name: str) -> None:
        """Have a replica start as a follower; its links come up."""
        self._started += 1_000
        core = GatewayCore(self._settings, self.state, self._started, Role.FOLLOWING)
        self.cores[name] = core
        for service in self._settings.adapters:
            self.take(name, self._link, service)

    def kill(self, name: str) -> None:
        """End a replica."""
        del self.cores[name]

    def lead(self, name: str, now: Instant = NOW) -> list[Output]:
        """Have a replica lead."""
        self._started += 1_000_000
        return self._committed(name, *self.cores[name].lead(self.state, now, self._started))

    def take(
        self, name: str, message: Input, service: str = "", now: Instant = NOW
    ) -> list[Output]:
        """Have a replica take an input; return its outputs."""
        return self._committed(name, *self.cores[name].handle(message, now, service))

    def _committed(
        self, name: str, mutations: list[Mutation], outputs: list[Output]
    ) -> list[Output]:
        self.told += [(name, output) for output in outputs]
        changes: dict[str, bytes | None] = {
            each.key: each.value if isinstance(each, PutRow) else None for each in mutations
        }
        for output in outputs:
            if isinstance(output, ForLeader):
                self._forwarded += 1
                changes[f"{INBOX}{name}\x1f{self._forwarded:020}"] = write_forwarded(
                    output.forwarded
                )
        if changes:
            self._append(name, changes)
        return outputs

    def _append(self, name: str, changes: Mapping[str, bytes | None]) -> None:
        for key, value in changes.items():
            if value is None:
                self.state.pop(key, None)
            else:
                self.state[key] = value
        for other in [each for each in self.cores if each != name]:
            self._committed(other, *self.cores[other].follow(Tail(False, changes), NOW))


def replicas(*names: str, link: LinkUp | None = None, **changes: Any) -> Replicas:
    """Return replicas of a gateway at north and south; the first leads."""
    settings: dict[str, Any] = {
        "id": "g1",
        "system": "test",
        "adapters": {name: AdapterSettings(f"g1.{name}", name) for name in ("north", "south")},
        "services": ("north", "south", "far"),
        "topology": topology_of("north", "south"),
        **changes,
    }
    return Replicas(GatewaySettings(**settings), *(names or ("a", "b", "c")), link=link)


def numbers(one: Replicas, name: str) -> tuple[int, ...]:
    """Return the numbers of the subscriptions that a replica applied at north."""
    return tuple(applied.number for applied in one.cores[name].applied("north"))
