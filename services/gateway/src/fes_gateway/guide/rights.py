"""Who has a right to what: decisions of the policy service, as gateways need them."""

from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.bus.core import Decide
from fes.federation.guides import PolicyPart
from fes.gateway.inputs import Asker, Right
from serving.clocks import wall_us

EARLY_US = 2_000_000
"""How long before its end a decision is queried again."""

RETRY_S = 0.5


class Rights:
    """Knows rights.

    Args:
        part: What the federation's file states of the policy service.
        client: Queries it.
    """

    def __init__(self, part: PolicyPart, client: PolicyClient) -> None:
        self._part = part
        self._client = client

    def user(self, service: str) -> str:
        """Return the user that an event service's requests are decided for."""
        return self._part.users.get(service, service)

    async def decide(self, asker: Asker) -> tuple[Right | None, float]:
        """Return a decision, and after how long to query again; None where none answers."""
        device = self._part.devices.get(asker.source, self._part.device)
        request = Decide(asker.subject, asker.source, 0, 0, self.user(asker.source), device)
        found = await self._client.decide(request)
        if found is None:
            return None, RETRY_S
        # A filter without its text comes from a service that knows of no gateways.
        permit = found.permit and (found.filter is None or bool(found.text))
        again_s = max(RETRY_S, (found.until_us - EARLY_US - wall_us()) / 1e6)
        return Right(permit, found.until_us, found.text, found.rule), again_s
