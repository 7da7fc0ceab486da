"""Faults to plant in scopes, by the item of the issue that they belong to.

A fault is (where it is, its name there, what stands in its place).
"""

from typing import Any

import fes.scopes.graph as graph_module
import fes.scopes.manager as manager_module
import fes.scopes.routing.climb as climb_module
import fes.scopes.routing.direct as direct_module
from fes.scopes.declared import Rights, Scope
from fes.scopes.graph import Graph
from fes.scopes.journal import ScopeState
from fes.scopes.journey import Journey
from fes.scopes.manager import ScopeManager
from fes.scopes.mappings.gathering import Gatherings
from fes.scopes.mappings.mapping import Mapping
from fes.scopes.policies.choosing import Choices
from fes.scopes.policies.waiting import Queue
from fes.scopes.progress import Progress
from fes.scopes.routing.climb import Climb
from fes.scopes.routing.compiled import CompiledRouter
from fes.scopes.routing.eligible import Eligibility
from fes.scopes.routing.figure8 import Figure8Router
from fes.scopes.routing.plans import Plans
from fes.scopes.routing.publication import Publication
from fes.scopes.station import Stations

Fault = tuple[Any, str, Any]


def _nothing(*_: object, **__: object) -> None:
    return None


def _true(*_: object, **__: object) -> bool:
    return True


def _false(*_: object, **__: object) -> bool:
    return False


def _same(stamp: object, _: object) -> object:
    return stamp


def _none(*_: object, **__: object) -> str:
    return ""


def _empty(*_: object, **__: object) -> list[object]:
    return []


def _unmapped(_: object, event: Any, *__: object) -> tuple[Any, ...]:
    return (event,)


FAULTS: dict[str, Fault] = {
    "1 a cycle is accepted": (graph_module, "path_up", _empty),
    "1 what is compiled outlives a change of memberships": (Plans, "_forget", _nothing),
    "1 what is compiled outlives a change of scopes": (
        Plans,
        "renew",
        lambda self: None,
    ),
    "1 an event service is not where its named clients are": (Graph, "_link", _nothing),
    "1 a named client is another component than its event service": (
        Graph,
        "is_at",
        lambda self, member, component: member == component,
    ),
    "3 a named client is not asked whether it receives by each path": (
        Graph,
        "clients_of",
        lambda self, name: iter(()),
    ),
    "2 the compiled form goes up past output interfaces": (climb_module, "passes", _true),
    "2 the definition goes past interfaces": (direct_module, "passes", _true),
    "2 figure 8 goes down where nothing is received": (Figure8Router, "_is_cut", _false),
    "2 the compiled form comes down nowhere past an interface": (
        CompiledRouter,
        "_comes_down",
        _false,
    ),
    "2 an edge's own interface is ignored": (
        Graph,
        "_interface",
        lambda self, own, member, *, up: None,
    ),
    "3 a further path delivers again": (
        Progress,
        "served",
        property(lambda self: set(), lambda self, value: None),
    ),
    "3 what a mapping makes keeps the event's identity": (manager_module, "derived", _same),
    "3 all paths are as good": (
        Publication,
        "rank",
        property(lambda self: (0, ())),
    ),
    "4 events are not mapped": (Mapping, "apply", _unmapped),
    "4 what was gathered is lost over a restart": (Gatherings, "restore", _nothing),
    "5 turns are forgotten": (Choices, "restore", _nothing),
    "5 an absent member keeps its turn": (
        Eligibility,
        "_look",
        lambda self, name, event: 0,
    ),
    "5 one of n is all of them": (
        Scope,
        "selects",
        property(lambda self: False),
    ),
    "5 what waits is lost over a restart": (Queue, "restore", _nothing),
    "5 what waits never expires": (
        manager_module,
        "remaining",
        lambda event, *_: event,
    ),
    "5 a queue has no limit": (
        Queue,
        "add",
        lambda self, row, policy: self._keep(row) or self._changed(f"waiting/{row.number}", row),
    ),
    "5 what was delivered before a delay is forgotten": (
        ScopeState,
        "keep",
        _nothing,
    ),
    "5 all members are searched at once": (
        Stations,
        "_searched_first",
        lambda self, traverse, depths: list(depths),
    ),
    "6 sessions have no tag": (
        Scope,
        "session",
        property(lambda self: False, lambda self, value: None),
    ),
    "6 a reaction goes into all sessions": (
        Graph,
        "is_session",
        _false,
    ),
    "6 what is received in a session far above has no tag": (
        manager_module,
        "session_between",
        _none,
    ),
    "6 who carries no context may be in two sessions": (graph_module, "check_sessions", _nothing),
    "6 an end releases what it should drop": (
        ScopeManager,
        "_drop",
        lambda self, row, reason, outcome: self._release(row, row.due_us, outcome),
    ),
    "7 whoever asks may join as producer": (graph_module, "check_rights", _nothing),
    "7 rights are not checked at delivery": (Rights, "may_consume", _true),
    "7 who joins later receives what was before": (ScopeManager, "_joined_since", _false),
    "1 gates in the compiled form forget where an event came from": (
        Climb,
        "_members_below",
        lambda self, gate: set(),
    ),
    "1 stations take an event again": (
        Journey,
        "progress",
        property(lambda self: Progress(), lambda self, value: None),
    ),
}
