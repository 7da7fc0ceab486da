"""Faults to plant where scopes change."""

from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.scopes.managed import ManagedScopes
from fes.gateway.scopes.rollout import ScopeRollout


def _nothing(*_: object) -> None:
    return None


def _false(*_: object) -> bool:
    return False


SCOPES = {
    "changes of scopes are not sent to who lacks them": (ScopeRollout, "compare", _nothing),
    "a withdrawn membership stops nothing that waits": (ManagedScopes, "is_withdrawn", _false),
    "requests are not confined again": (RequestRegistry, "confine_again", _nothing),
}
