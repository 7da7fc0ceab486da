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
    assert graph.visible("a", "b")  # what alice receives, her event service receives


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
            "f:10:3: clients.alice: a and alice receive each other's events natively at a, and",
        ),
        ("service: a", "service: c", "unknown event service 'c'"),
        (
            "scopes:\n",
            "  eve: {service: a, principal: alice}\nscopes:\n",
            "f:11:32: clients.eve.principal: alice is 'alice' at a already",
        ),
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


TWO = FILE.replace("  alice:", "  bob: {service: a, principal: bob}\n  alice:")
TWO = TWO[: TWO.index("scopes:")]


@pytest.mark.parametrize(
    ("scopes", "why"),
    [
        ("P: {members: {alice: {}}}, Q: {members: {bob: {}}}", "no scope has both"),
        ("P: {members: {alice: {}, bob: {}}}, Q: {members: {bob: {}}}", "only bob is in Q"),
        ("P: {members: {alice: {}, bob: {}}}, Q: {members: {alice: {}}}", "only alice is in Q"),
        (
            "P: {members: {alice: {}, bob: {input: ['n > 1']}}}",
            "they are not members of P on the same terms",
        ),
        (
            "P: {members: {alice: {}, bob: {consumes: false}}}",
            "they are not members of P on the same terms",
        ),
        (
            "P: {members: {alice: {}, bob: {}}, delivery: {to: turns}}",
            "alice does not see all events of bob",
        ),
        (
            "P: {members: {alice: {output: [n > 1]}, bob: {output: [n > 1]}}}",
            "alice does not see all events of bob",
        ),
        ("P: {members: {alice: {}, bob: {}}}, Q: {members: {a: {}}}", "no scope has both"),
    ],
)
def test_clients_of_one_event_service_cannot_be_parted_whatever_users_they_are(
    scopes: str, why: str
) -> None:
    (found, *_) = [str(each) for each in examine(f"{TWO}scopes: {{{scopes}}}\n", "f", {}).findings]
    assert "receive each other's events natively at a" in found
    assert why in found
    assert "declare an event service for each account or channel, or make a the member" in found


@pytest.mark.parametrize(
    "scopes",
    [
        "P: {members: {alice: {}, bob: {}}}",
        "P: {members: {alice: {}, bob: {}, a: {}}}",
        "P: {members: {alice: {}, b: {}}}, Q: {members: {alice: {output: []}}}",
        (
            "P: {members: {alice: {output: [n > 1]}, bob: {output: [n > 1]}}},"
            " Q: {members: {alice: {}, bob: {}}}"
        ),
    ],
)
def test_clients_that_scopes_do_not_part_are_valid(scopes: str) -> None:
    assert examine(f"{TWO}scopes: {{{scopes}}}\n", "f", {}).findings == ()


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
    assert found[-1] == "f:9:1: scopes: no gateway is attached to all that it would manage: a, b"


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
