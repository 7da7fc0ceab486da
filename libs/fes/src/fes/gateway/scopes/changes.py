"""What a change of scopes does in a gateway, and which pairs of event services it parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from fes.control.signal import Hello, Rollout
from fes.errors import ScopeError
from fes.federation.scopes.change import Change, write_change
from fes.gateway.outputs import Decided, PutRow
from fes.gateway.peers.gossip import Gossip
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.scopes.administration import ScopeAdministration
from fes.gateway.scopes.rollout import ScopeRollout
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.scopes import Graph

SLICE = 200
"""Most requests that are confined again in one turn, so that it is short."""

FOLLOWED = 200
"""Most changes of the journal that are followed one by one at the start."""

Pair = tuple[str, str]
"""The event service where an event was published, and one that receives it."""


class ScopeChanges:
    """Has a gateway follow the changes of scopes.

    Args:
        settings: Of the gateway.
        registry: Confines requests.
        gossip: Sends signals.

    Attributes:
        withdrawn: Pairs between which events passed, and no longer do.
        opened: Pairs between which events pass since a change, and when that was ordered.
        on_ending: Is called with a scope before it ends.
    """

    def __init__(
        self, settings: GatewaySettings, registry: RequestRegistry, gossip: Gossip
    ) -> None:
        self.administration = ScopeAdministration(settings)
        self.withdrawn: frozenset[Pair] = frozenset()
        self._settings = settings
        self._registry = registry
        self._gossip = gossip
        self._rollout = ScopeRollout(settings, self.administration, gossip)
        self.opened: dict[Pair, int] = {}
        self._open: frozenset[Pair] | None = None
        self.on_ending: Callable[[str, Turn], None] = lambda _scope, _turn: None

    def restore(self, state: Mapping[str, bytes | None]) -> bool:
        """Apply what the journal has of changes; return whether there was any.

        Of the newest ones each is followed by itself: who left and joined again must not receive
        what was published meanwhile.
        """
        stored = self.administration.stored(state)
        older, newer = stored[:-FOLLOWED], stored[-FOLLOWED:]
        for changes in ([older] if older else []) + [[each] for each in newer]:
            before = self._pairs()
            self.administration.learn(changes)
            self._changed(before, changes)
        return bool(stored)

    def order(self, change: Change, turn: Turn) -> None:
        """Order a change, and send it to the other gateways; a refused one is a decision."""
        try:
            self.administration.check(change)
        except ScopeError as error:
            turn.decide(Decided("refused", reason=f"scopes: {error}", what=change.what))
            return
        before = self._pairs()
        self._keep()
        self._end(change, turn)
        numbered, row = self.administration.order(change, turn.now.time_us)
        self._applied([(numbered, row)], before, "", turn)
        self._pass_on([numbered], "", turn)

    def compare(self, hello: Hello, service: str, turn: Turn) -> None:
        """Send a neighbour the changes that it does not have."""
        self._rollout.compare(hello, service, turn)

    def received(self, rollout: Rollout, service: str, turn: Turn) -> None:
        """Apply the changes that a neighbour sends."""
        try:
            changes = self._rollout.received(rollout, service)
        except ScopeError as error:
            turn.decide(Decided("refused", from_=service, reason=str(error)))
            return
        learnt: list[Change] = []
        for change in changes:
            if self.administration.is_next(change):
                self._end(change, turn)
                before = self._pairs()
                self._keep()
                self._applied(self.administration.learn([change]), before, service, turn)
                learnt.append(change)
        if learnt:
            self._pass_on(learnt, service, turn)

    def _end(self, change: Change, turn: Turn) -> None:
        """Release or drop what waits for a scope that ends."""
        ends = not change.member and change.part is None
        if ends and change.scope in self._settings.scopes:
            self.on_ending(change.scope, turn)

    def tick(self, turn: Turn) -> None:
        """Confine further requests again, and forget what was before a change that all know."""
        self._registry.review(turn, SLICE)
        confinement = self._registry.confinement
        if not confinement.is_settled:
            confinement.settle(self.known_to_all())

    def known_to(self, gateway: str) -> int:
        """Return how many changes a gateway has applied; all where it is not there."""
        return self._known_to(gateway, self._there())

    def known_to_all(self) -> int:
        """Return how many changes every gateway that is there has applied."""
        there = self._there()
        return min((self._known_to(each, there) for each in self._settings.gateways), default=0)

    def _there(self) -> set[str]:
        return {name for name, _ in self._gossip.presence.roster.live()}

    def _known_to(self, gateway: str, there: set[str]) -> int:
        own, known = self.administration.generation, self._gossip.presence.roster.get(gateway)
        if gateway == self._settings.id or gateway not in there or known.version < 0:
            return own
        return min(own, known.scopes)

    def _keep(self) -> None:
        """Remember what passes before a change."""
        self._registry.confinement.keep(self.administration.generation)

    def _applied(
        self,
        changes: Sequence[tuple[Change, PutRow]],
        before: frozenset[Pair],
        service: str,
        turn: Turn,
    ) -> None:
        for change, row in changes:
            turn.mutations.append(row)
            what = f"change {change.number}: {change.what}"
            declared = write_change(change).decode()
            turn.decide(
                Decided("applied", from_=service, type="scopes", what=what, declared=declared)
            )
        self._changed(before, [change for change, _ in changes])

    def _pass_on(self, changes: Sequence[Change], service: str, turn: Turn) -> None:
        self._registry.review(turn, SLICE)
        self._rollout.pass_on(changes, service, turn)

    def _changed(self, before: frozenset[Pair], changes: Sequence[Change]) -> None:
        self._open = None
        now = self._pairs()
        at_us = max(change.at_us for change in changes)
        self.opened = {
            **{pair: since for pair, since in self.opened.items() if pair in now},
            **dict.fromkeys(now - before, at_us),
        }
        self.withdrawn = (self.withdrawn | (before - now)) - now
        self._registry.confine_again()
        self._gossip.presence.applied(self.administration.generation)

    def _pairs(self) -> frozenset[Pair]:
        """Return the pairs between which events pass, of those received by event services here."""
        if self._open is None:
            self._open = frozenset(_open_pairs(self._settings.scopes, self._settings))
        return self._open


def _open_pairs(graph: Graph, settings: GatewaySettings) -> Iterable[Pair]:
    ups = {
        name: _reached(graph, name, up=True) for name in settings.services if name in graph.nodes
    }
    for destination in settings.adapters:
        if destination in graph.nodes:
            down = _reached(graph, destination, up=False)
            for home, up in ups.items():
                if not up.isdisjoint(down):
                    yield home, destination


def _reached(graph: Graph, name: str, *, up: bool) -> set[str]:
    """Return the scopes that a component publishes into, or receives from."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for edge in graph.supers(todo.pop()).values():
            is_open = graph.lets_up(edge) if up else graph.lets_down(edge)
            if is_open and edge.scope not in found:
                found.add(edge.scope)
                todo.append(edge.scope)
    return found
