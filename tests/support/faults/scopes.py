"""Faults to plant where scopes change."""

from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.scopes.rollout import ScopeRollout


def _nothing(*_: object) -> None:
    return None


SCOPES = {
    "changes of scopes are not sent to who lacks them": (ScopeRollout, "compare", _nothing),
    "requests are not confined again": (RequestRegistry, "confine_again", _nothing),
}
