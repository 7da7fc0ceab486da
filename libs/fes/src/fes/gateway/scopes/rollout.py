"""Changes of scopes in transit: each gateway sends what a neighbour does not have.

A hello states how many changes its gateway has applied. Whoever has more sends the next ones, to
all at that event service; a gateway that was away states a small number, and catches up part by
part. Where gateways do not meet, what is new is passed on.
"""

from collections.abc import Iterable

import msgspec

from fes.control.signal import Hello, Rollout
from fes.federation.scopes.change import Change, read_change
from fes.gateway.peers.gossip import Gossip
from fes.gateway.scopes.administration import ScopeAdministration
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn

PART_BYTES = 64 * 1024
"""Most bytes of changes in one signal; one change is always a part."""


class ScopeRollout:
    """Sends and receives changes.

    Args:
        settings: Of the gateway.
        administration: Has the changes.
        gossip: Sends signals.
    """

    def __init__(
        self, settings: GatewaySettings, administration: ScopeAdministration, gossip: Gossip
    ) -> None:
        self._settings = settings
        self._administration = administration
        self._gossip = gossip
        self._sent_us: dict[str, tuple[int, int]] = {}

    def compare(self, hello: Hello, service: str, turn: Turn) -> None:
        """Send a neighbour the changes that it does not have, unless they were sent just now."""
        if hello.scopes >= self._administration.generation:
            return
        now_us = self._gossip.presence.uptime_us
        after, sent_us = self._sent_us.get(service, (-1, 0))
        if after == hello.scopes and now_us - sent_us < self._settings.hello_us // 2:
            return
        self._sent_us[service] = hello.scopes, now_us
        self._gossip.signals.say(self._part(hello.scopes), service, turn)

    def received(self, rollout: Rollout, service: str) -> list[Change]:
        """Return the changes of a neighbour; nothing where one of them cannot be read.

        Raises:
            ScopeError: Names what cannot be read.
        """
        changes = [read_change(each) for each in rollout.changes]
        if changes:
            now_us = self._gossip.presence.uptime_us
            self._sent_us[service] = changes[0].number - 1, now_us
        return changes

    def pass_on(self, changes: Iterable[Change], service: str, turn: Turn) -> None:
        """Send what is new here at every event service but the one that it came from."""
        first = min((each.number for each in changes), default=0)
        if first:
            self._gossip.signals.say_elsewhere(self._part(first - 1), service, turn)
            self._gossip.presence.applied(self._administration.generation)

    def _part(self, after: int) -> Rollout:
        texts = self._administration.since(after, PART_BYTES)
        return Rollout(self._settings.id, tuple(msgspec.Raw(text) for text in texts))
