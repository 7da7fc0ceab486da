"""Gateways of one federation file that share event services, in memory, one step at a time."""

from collections import deque
from typing import Any

from fes.control import RequestType
from fes.control.signal import TYPES, Rollout
from fes.federation import loads
from fes.federation.scopes.change import Change, member_part, scope_part
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import ChangeScopes, Inject, LinkUp, Tick
from fes.gateway.outputs import Decided, DropRow, PutRow, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import HeardControl, Publish, PublishControl
from fes.model import Event, Stamp, binary
from support.gateways.cores import NOW, SECOND, heard, request

FILE = """
version: 1
system: test
event_services:
  north: {kind: memory}
  middle: {kind: memory}
  south: {kind: memory}
gateways:
  g1:
    adapters: {north: {}, middle: {}}
  g2:
    adapters: {middle: {}, south: {}}
scopes:
  market:
    members: {north: {}, middle: {}}
"""


def scope(name: str, **part: Any) -> Change:
    """Return the change that declares a scope."""
    return Change(0, name, part=scope_part(part))


def joins(member: str, to: str, **part: Any) -> Change:
    """Return the change that declares a membership."""
    return Change(0, to, member, edge=member_part(part))


def leaves(member: str, of: str) -> Change:
    """Return the change that ends a membership."""
    return Change(0, of, member)


class Federated:
    """Cores with their journals; what one publishes at an event service the others receive.

    Attributes:
        deaf: Gateways that send and receive no control event.
        late: Gateways that receive no change of scopes.

    Args:
        text: The federation file.
        suppresses: Whether native clients suppress a repeated identity.
    """

    def __init__(self, text: str = FILE, *, suppresses: bool = True) -> None:
        self._suppresses = suppresses
        self.federation = loads(text, {})
        self.rows: dict[str, dict[str, bytes]] = {name: {} for name in self.federation.gateways}
        self.cores: dict[str, GatewayCore] = {}
        self.now = NOW
        self.published: list[tuple[str, Event]] = []
        self.decisions: list[tuple[str, Decided]] = []
        self.deaf: set[str] = set()
        self.late: set[str] = set()
        self._waiting: deque[tuple[str, str, bytes]] = deque()
        for name in self.federation.gateways:
            self.start(name)

    def start(self, name: str) -> None:
        """Start a gateway with what its journal has."""
        settings = GatewaySettings.of(self.federation, name)
        self.cores[name] = GatewayCore(settings, self.rows[name], self.now.wall_us)
        for service in settings.adapters:
            self.handle(name, LinkUp(suppresses=self._suppresses), service)
        self.settle()

    def kill(self, name: str) -> None:
        """End a gateway; its journal stays."""
        del self.cores[name]

    def handle(self, name: str, message: Any, service: str = "") -> list[Any]:
        """Have a gateway handle an input and commit what it changed."""
        mutations, outputs = self.cores[name].handle(message, self.now, service)
        for each in mutations:
            if isinstance(each, PutRow):
                self.rows[name][each.key] = each.value
            elif isinstance(each, DropRow):
                self.rows[name].pop(each.key, None)
        for output in outputs:
            self._perform(name, output)
        return outputs

    def _perform(self, name: str, output: Any) -> None:
        if isinstance(output, Decided):
            self.decisions.append((name, output))
        elif isinstance(output, ToAdapter) and isinstance(output.order, PublishControl):
            self._waiting.append((name, output.service, output.order.body))
        elif isinstance(output, ToAdapter) and isinstance(output.order, Publish):
            self.published.append((output.service, binary.decode(output.order.body)))

    def settle(self) -> None:
        """Have all control events received that are in transit."""
        for _ in range(10_000):
            if not self._waiting:
                return
            sender, service, body = self._waiting.popleft()
            for name in tuple(self.cores):
                attached = service in self.cores[name].settings.adapters
                lost = {name, sender} & self.deaf or (name in self.late and _is_rollout(body))
                if name != sender and attached and not lost:
                    self.handle(name, HeardControl(None, body), service)
        raise AssertionError("control events without an end")

    def wait(self, seconds: int) -> None:
        """Let seconds pass."""
        for _ in range(seconds):
            time_us = self.now.time_us + SECOND
            self.now = Instant(time_us, time_us)
            for name in tuple(self.cores):
                self.handle(name, Tick())
            self.settle()

    def change(self, change: Change, at: str = "g1") -> list[str]:
        """Change the scopes; return why that is refused, in lines."""
        outputs = self.handle(at, ChangeScopes(change))
        self.settle()
        refused = [each for each in outputs if isinstance(each, Decided)]
        return [each.reason for each in refused if each.decision == "refused"]

    def subscribe(self, source: str, sequence: int, at: str, to: str = "*") -> None:
        """Subscribe for the clients of an event service."""
        asked = request(
            RequestType.SUBSCRIPTION,
            source=source,
            dist_list=to,
            sequence=sequence,
            requester=source,
            filter="",
        )
        self.handle(at, Inject(asked))
        self.settle()

    def publish(self, service: str, sequence: int, event: Event, at: str) -> list[str]:
        """Have a native client publish; return the event services where it is received."""
        return [name for name, _ in self.publish_to(service, sequence, event, (at,))]

    def publish_to(
        self, service: str, sequence: int, event: Event, at: tuple[str, ...]
    ) -> list[tuple[str, Event]]:
        """Have a native client publish, and some gateways receive it in this order.

        Returns:
            Each event service where it is received, and the event there.
        """
        self.published.clear()
        stamp = Stamp(f"client of {service}", 1, sequence, self.now.time_us, service)
        body = binary.encode(event)
        for name in at:
            numbers = tuple(applied.number for applied in self.cores[name].applied(service))
            native = heard(numbers, sequence, stamp=stamp, body=body, subject=event.subject)
            self.handle(name, native, service)
        self.settle()
        return self.published

    def generations(self) -> dict[str, int]:
        """Return how many changes each gateway has applied."""
        return {name: core.scopes.generation for name, core in self.cores.items()}


def _is_rollout(body: bytes) -> bool:
    return bool(binary.decode(body).parameter("Type") == TYPES[Rollout])
