"""No module imports one that imports it, not for type checkers either."""

from pathlib import Path

from support.house.import_graph import circles, import_graph, modules, source_roots

CNS = """
admin channel connection consumer consumer_admin pull_consumers pull_suppliers push_consumers
push_suppliers subscriber supplier supplier_admin
"""
OPEN = [
    {"eventservices.cns.event", "eventservices.cns.value"},
    {f"eventservices.cns.{name}" for name in CNS.split()},
]
"""Circles that are not broken yet; a circle inside one of them is an improvement."""


def test_no_modules_form_a_circle_but_those_that_are_known() -> None:
    found = circles(import_graph(modules(source_roots())))
    new = [sorted(circle) for circle in found if not any(circle <= known for known in OPEN)]
    assert new == []


def test_the_graph_has_the_whole_house() -> None:
    graph = import_graph(modules(source_roots()))
    assert len(graph) > 800
    assert "fes.gateway.delivery" in graph["fes.gateway.core"]
    assert "analytics.verdict" in graph["analytics.traffic.job"]


def test_a_circle_is_found_also_where_only_a_type_checker_imports(tmp_path: Path) -> None:
    package = tmp_path / "parts"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parent.py").write_text("from parts.child import Child\n")
    (package / "child.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from parts.between import Parent\n"
        "class Child: ...\n"
    )
    (package / "between.py").write_text("from .parent import Child as Parent\n")
    (package / "alone.py").write_text("import parts.parent\nfrom parts import child\n")
    graph = import_graph(modules([tmp_path]))
    assert graph["parts.alone"] == {"parts.parent", "parts.child"}
    assert circles(graph) == [frozenset({"parts.parent", "parts.child", "parts.between"})]
