"""What the file may say of scopes, and what is wrong with it, at its place."""

from pathlib import Path

import pytest
from fes.federation import examine, loads
from fes.federation.scopes.build import graph_of
from fes.federation.scopes.management import manager_of
from fes.scopes import Scope

FILE = """\
version: 1
system: town
event_services:
  a: {kind: memory}
  b: {kind: memory}
gateways:
  g: {adapters: {a: {}}}
  h: {adapters: {a: {}, b: {}}}
clients:
  alice: {service: a, principal: alice}
scopes:
  M:
    members:
      P: {}
      b: {}
  P:
    members:
      alice: {}
"""


def findings(old: str = "", new: str = "") -> list[str]:
    text = FILE.replace(old, new) if old else FILE
    assert text != FILE or not old
    return [str(each) for each in examine(text, "f", {}).findings]


def test_a_good_file_has_no_findings() -> None:
    assert findings() == []
    graph = graph_of(loads(FILE, {}))
    assert graph.visible("alice", "b")
    assert not graph.visible("a", "b")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "      alice: {}\n",
            "      alice: {}\n      M: {}\n",
            "f:19:7: scopes.P.members.M: cycle: M -> P -> M",
        ),
        ("alice: {}\n", "nobody: {}\n", "unknown component or scope: nobody"),
        ("  P:\n", "  P:\n    input: ['n > > 1']\n", "f:17:13: scopes.P.input[0]: expected"),
        (
            "      P: {}\n",
            "      P: {down: [{drop: [n]}], input: ['n > 1']}\n",
            "f:14:18: scopes.M.members.P.down[0]: it drops n, which the interface after it needs",
        ),
        (
            "  P:\n",
            "  P:\n    publishing: {delay_s: 1e9}\n",
            "scopes.P.publishing.delay_s: expected a number <= 604800.0",
        ),
        ("  P:\n", "  P:\n    publishing: {which: 'n = 1'}\n", "nothing waits"),
        (
            "  P:\n",
            "  P:\n    publishing: {choose: {X: 'n = 1'}}\n",
            "X is not a direct superscope of P",
        ),
        ("  P:\n", "  P:\n    delivery: {to: dice}\n", "expected all or turns or hash"),
        (
            "      b: {}\n",
            "      b: {}\n  Q: {members: {a: {}}}\n",
            "receive each other",
        ),
        ("service: a", "service: c", "unknown event service 'c'"),
        (
            "      P: {}\n",
            "      P: {up: [{plugin: none}]}\n",
            "P.up[0]: no installed package provides the plug-in 'none' (fes.scope_mappings)",
        ),
        (
            "  P:\n",
            "  P:\n    delivery: {to: plugin, plugin: none}\n",
            "f:17:36: scopes.P.delivery.plugin: no installed package provides the plug-in 'none'",
        ),
        (
            "  P:\n",
            "  P:\n    delivery: {to: plugin}\n",
            "P.delivery.to: `plugin` is missing",
        ),
        (
            "  P:\n",
            "  P:\n    delivery: {to: turns, plugin: x}\n",
            "scopes.P.delivery.plugin: nothing calls it: `to` is turns",
        ),
    ],
)
def test_what_is_wrong_is_reported_at_its_place(old: str, new: str, expected: str) -> None:
    found = findings(old, new)
    assert any(expected in line for line in found), found


def test_the_first_gateway_at_all_services_concerned_manages() -> None:
    text = FILE.replace("      P: {}\n", "      P: {}\n      a: {}\n").replace(
        "      alice: {}\n", "      alice: {}\n    session: true\n"
    )
    text = text.replace("      alice: {}\n    session", "      a: {}\n    session").replace(
        "clients:\n  alice: {service: a, principal: alice}\n", ""
    )
    federation = loads(text, {})
    assert manager_of(federation, graph_of(federation)) == "h"
    alone = text.replace("  h: {adapters: {a: {}, b: {}}}\n", "  h: {adapters: {b: {}}}\n")
    found = [str(each) for each in examine(alone, "f", {}).findings]
    assert any("no gateway is attached to all" in line for line in found), found


def test_every_policy_and_step_of_the_file_is_built() -> None:
    text = FILE.replace(
        "      P: {}\n",
        "      P:\n        up: [{rename: {n: m}, convert: {m: double}, scale: {m: {by: 2}},"
        " set: {k: 1}, subject: E, gather: {count: 2, results: {s: {of: m, how: sum}}}}]\n",
    ).replace(
        "      b: {}\n",
        "      b: {}\n    delivery: {to: turns}\n    traverse: top-down\n"
        "    publishing: {until: 'n = 1', waiting: 5}\n    join: {producers: ['*']}\n",
    )
    graph = graph_of(loads(text, {}))
    scope = graph.nodes["M"]
    assert isinstance(scope, Scope)
    assert scope.selects
    assert scope.publishing.waiting == 5
    assert graph.maps(graph.supers("P")["M"])


def test_the_stock_market_is_valid() -> None:
    root = Path(__file__).parents[3]
    file = root / "scenarios/stock-market/src/stock_market/federation.yaml"
    document = examine(file.read_bytes(), "f", {})
    assert [str(each) for each in document.findings if each.severity == "error"] == []


def test_more_paths_than_are_explained_are_valid() -> None:
    members = "".join(f"      S{n}: {{}}\n" for n in range(60))
    scopes = "".join(f"  S{n}:\n    members:\n      b: {{}}\n" for n in range(60))
    text = FILE.replace("      b: {}\n", members + "      a: {}\n") + scopes
    found = [str(each) for each in examine(text, "f", {}).findings]
    assert not any("paths" in line for line in found), found
