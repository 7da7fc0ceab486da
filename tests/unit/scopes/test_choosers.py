"""Delivery policies that are code of installed packages."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fes import plugins
from fes.federation import examine, loads
from fes.federation.scopes.build import graph_of
from fes.model import Event, Stamp
from fes.scopes import CompiledRouter, Graph, Scope, ScopeManager, ScopeState
from support.scopes.audience import Subscribers

FILE = """\
version: 1
system: town
event_services:
  a: {kind: memory}
  b: {kind: memory}
  c: {kind: memory}
gateways:
  g: {adapters: {a: {}, b: {}, c: {}}}
scopes:
  M:
    members: {a: {}, P: {}}
  P:
    delivery: {to: plugin, plugin: odd}
    members: {b: {}, c: {}}
"""


class Installed:
    """Stands for an installed entry point."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    def load(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put(*found: Any) -> None:
        points = [Installed(one) for one in found]
        monkeypatch.setattr(plugins, "entry_points", lambda **_: points)

    return put


def by_number(event: Event, members: Sequence[str]) -> str:
    """Choose the member whose place is the event's number."""
    return members[int(str(event.parameter("n")))]


def receivers(graph: Graph, *numbers: int) -> list[str]:
    audience = Subscribers()
    for name in ("b", "c"):
        audience.subscribe(name, "")
    manager = ScopeManager(graph, CompiledRouter(graph), audience, ScopeState())
    return [
        each.consumer
        for at, n in enumerate(numbers, 1)
        for each in manager.publish(
            "a", Event.of("E", n=n), Stamp("a", 1, at, 9, "a"), 9
        ).deliveries
    ]


def test_an_installed_chooser_chooses_the_member(install: Callable[..., None]) -> None:
    install(by_number)
    graph = graph_of(loads(FILE, {}))
    assert receivers(graph, 1, 0, 1) == ["c", "b", "c"]
    scope = graph.nodes["P"]
    assert isinstance(scope, Scope)
    assert scope.delivery.plugin == "odd"


@pytest.mark.parametrize("chooser", [by_number, lambda *_: "nobody", lambda *_: None])
def test_where_a_chooser_fails_the_first_member_receives(
    chooser: Any, install: Callable[..., None]
) -> None:
    install(chooser)
    assert receivers(graph_of(loads(FILE, {})), 7) == ["b"]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ((), "no installed package provides the plug-in 'odd' (fes.scope_choosers)"),
        ((by_number, by_number), "2 packages provide the plug-in 'odd'"),
        ((3,), "plug-in 'odd' (fes.scope_choosers) is not a function"),
        ((ImportError("no numpy"),), "does not load: no numpy"),
    ],
)
def test_a_chooser_that_cannot_be_loaded_is_reported_at_its_place(
    found: tuple[Any, ...], why: str, install: Callable[..., None]
) -> None:
    install(*found)
    (finding,) = (str(each) for each in examine(FILE, "f", {}).findings)
    assert finding.startswith("f:13:36: scopes.P.delivery.plugin: ")
    assert why in finding
