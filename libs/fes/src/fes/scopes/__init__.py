"""Scopes: structure, visibility and policy for a federation.

A scope bundles components, confines what they see of one another, and carries interfaces, mappings
and policies, while no component knows of it. Sans-IO.

Source:
    Fiege, Mezini, Mühl and Buchmann, Engineering Event-Based Systems with Scopes.
"""

from fes.scopes.declared import Client, Edge, Interface, Rights, Scope
from fes.scopes.graph import Graph
from fes.scopes.journal import ScopeState
from fes.scopes.journey import Delivered, Dropped, Outcome
from fes.scopes.manager import ScopeManager
from fes.scopes.routing.compiled import CompiledRouter
from fes.scopes.routing.direct import DirectRouter
from fes.scopes.routing.figure8 import Figure8Router
from fes.scopes.sessions import current_session, tagged, untagged, within_session

__all__ = [
    "Client",
    "CompiledRouter",
    "Delivered",
    "DirectRouter",
    "Dropped",
    "Edge",
    "Figure8Router",
    "Graph",
    "Interface",
    "Outcome",
    "Rights",
    "Scope",
    "ScopeManager",
    "ScopeState",
    "current_session",
    "tagged",
    "untagged",
    "within_session",
]
