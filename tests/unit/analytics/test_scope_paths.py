"""The judge finds by itself what is visible where, and what a path makes of an event."""

from pathlib import Path

import pytest
from analytics.__main__ import CANNOT_JUDGE, main
from analytics.inputs.document import Document
from analytics.scopes.declared import Reader
from analytics.scopes.filters import Content
from analytics.scopes.graph import Graph, changed, graph_of
from analytics.scopes.paths import paths

FILE = """
scopes:
  top: {members: {left: {}, right: {}, e: {}}}
  left:
    output: ["subject = 'out'", "n > 1"]
    publishing: {which: "subject = 'out'", delay_s: 60}
    members: {a: {}, b: {consumes: false}, s: {input: ["subject = 'in'"]}}
  right:
    input: ["subject = 'new' AND n > 5", "subject = 'out'"]
    delivery: {to: turns}
    members: {c: {}, d: {down: [{when: "subject = 'out'", subject: new}]}}
  s: {session: true, members: {f: {}}}
  t: {session: true, members: {f: {}}, output: []}
  closed: {members: {t: {}, g: {}}, join: {producers: ["t*"]}}
clients: {}
"""


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    (tmp_path / "federation.yaml").write_text(FILE, "utf-8")
    return graph_of(Document(tmp_path / "federation.yaml"), Reader())


@pytest.mark.parametrize(
    ("home", "to", "visible"),
    [
        ("a", "e", True),
        ("e", "a", True),
        ("a", "b", False),  # it does not receive from its only scope
        ("a", "g", False),  # no common superscope
        ("g", "f", False),  # its scope does not admit it as a producer
        ("f", "g", True),
        ("a", "nobody", False),
    ],
)
def test_two_components_see_each_other_through_a_common_superscope(
    graph: Graph, home: str, to: str, *, visible: bool
) -> None:
    assert graph.visible(home, to) is visible


def test_an_empty_interface_blocks_everything_and_is_named(graph: Graph) -> None:
    found = paths(graph, "f", "g", "out")
    assert found.ends == []
    assert "output of t to closed" in found.blocked


def test_an_event_waits_where_its_subject_is_delayed(graph: Graph) -> None:
    assert {end.delay_us for end in paths(graph, "a", "e", "out").ends} == {60_000_000}
    assert {end.delay_us for end in paths(graph, "a", "e", "other").ends} == {0}


def test_a_mapping_results_in_another_event_and_the_choice_of_a_member_is_known(
    graph: Graph,
) -> None:
    (end,) = paths(graph, "a", "d", "out").ends[:1]
    assert (end.made, end.content.subject, end.chosen) == (True, "new", (("right", "d"),))
    (other,) = paths(graph, "a", "c", "out").ends
    assert (other.made, other.chosen) == (False, (("right", "c"),))


def test_what_parameters_decide_is_left_to_who_knows_them(graph: Graph) -> None:
    (end,) = paths(graph, "a", "c", "new").ends
    assert {place for place, _ in end.pending} == {
        "output of left to top",
        "input of right from top",
    }
    assert end.passes(Content("new", {"n": 6}))
    assert not end.passes(Content("new", {"n": 3}))


def test_a_reaction_enters_only_the_session_that_it_came_from(graph: Graph) -> None:
    assert paths(graph, "f", "a", "out").ends
    assert paths(graph, "f", "a", "out", "s").ends
    assert not paths(graph, "f", "a", "out", "t").ends


def test_a_change_is_applied_and_the_graph_before_it_stays(graph: Graph) -> None:
    left = changed(graph, {"scope": "left", "member": "a"}, Reader())
    assert graph.visible("a", "e")
    assert not left.visible("a", "e")
    joined = changed(left, {"scope": "right", "member": "a", "edge": {"input": []}}, Reader())
    assert joined.visible("a", "e")
    assert not paths(joined, "e", "a", "out").ends
    assert "right" not in changed(joined, {"scope": "right"}, Reader()).scopes


def test_a_filter_that_cannot_be_read_is_noted_and_undecided() -> None:
    reader = Reader()
    scope = reader.scope("s", {"input": ["n >"]})
    assert reader.unreadable == ["n >"]
    assert scope.input is not None
    assert scope.input[0].test(Content("any"))


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ((), "federation.yaml: is missing"),
        (("federation.yaml",), "logs: has no event log"),
        (("federation.yaml", "logs/eventlog-g.0.jsonl"), "federation.yaml: has no scopes"),
    ],
)
def test_a_folder_without_scopes_or_logs_is_not_judged_and_the_reason_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: tuple[str, ...], reason: str
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("version: 1\n", "utf-8")
    assert main(["scopes", str(tmp_path)]) == CANNOT_JUDGE
    assert capsys.readouterr().err.rstrip().endswith(reason)


NAMED = """
scopes:
  market: {members: {ann: {output: ["subject = 'out'"]}, bob: {}, c: {}}}
  floor: {members: {ann: {down: [{subject: new}]}, d: {}}}
clients:
  ann: {service: a, principal: ann}
  bob: {service: b, principal: bob}
"""


@pytest.fixture
def named(tmp_path: Path) -> Graph:
    (tmp_path / "federation.yaml").write_text(NAMED, "utf-8")
    return graph_of(Document(tmp_path / "federation.yaml"), Reader())


@pytest.mark.parametrize(
    ("home", "to", "visible"),
    [("a", "b", True), ("a", "c", True), ("d", "a", True), ("d", "b", False), ("b", "d", False)],
)
def test_an_event_service_sees_what_its_named_clients_do(
    named: Graph, home: str, to: str, *, visible: bool
) -> None:
    assert named.visible(home, to) is visible


def test_interfaces_and_mappings_of_a_named_client_are_those_of_its_event_service(
    named: Graph,
) -> None:
    assert paths(named, "a", "b", "other").blocked == ["output of ann to market"]
    (end,) = paths(named, "a", "b", "out").ends
    assert end.name == "bob"
    (made,) = paths(named, "d", "a", "out").ends
    assert (made.name, made.made, made.content.subject) == ("ann", True, "new")
    assert paths(named, "a", "a", "out").ends == []


def test_the_event_service_of_a_named_client_that_leaves_sees_nothing_more(named: Graph) -> None:
    after = changed(named, {"scope": "floor", "member": "ann", "edge": None}, Reader())
    assert not after.visible("d", "a")
    assert after.visible("c", "a")
