"""Why a component does, or does not, receive what another publishes."""

from collections.abc import Iterator, Sequence

from fes.model import Event
from fes.scopes.declared import Client, Edge, Interface, Scope
from fes.scopes.graph import Graph
from fes.scopes.paths import MAX_PATHS, Crossing, Path, paths_between


def explain(graph: Graph, one: str, other: str, event: Event | None = None) -> list[str]:
    """Return, in lines, which paths lead from a component to another and what they check.

    Args:
        graph: The scopes.
        one: Who publishes.
        other: Who receives.
        event: As it is published; with it, lines name the edge or filter that blocks it. It is
            followed up to the first mapping of a path.
    """
    unknown = [name for name in (one, other) if name not in graph]
    if unknown:
        return [f"unknown component or scope: {name}" for name in unknown]
    if graph.is_at(one, other) or graph.is_at(other, one):
        return [f"{one} and {other} receive each other's events natively, not through scopes"]
    if not graph.visible(one, other):
        tops = (_tops(graph, name) for name in (one, other))
        return [
            f"{one} and {other} are not visible to one another: they have no common superscope",
            *(
                f"  {name} is below {', '.join(top)}"
                for name, top in zip((one, other), tops, strict=True)
            ),
        ]
    paths, more = paths_between(graph, one, other)
    if not paths:
        return [f"{one} and {other} are visible to one another, but no path is open"]
    lines = []
    for path in paths:
        lines += [
            _route(path),
            *(f"  {line}" for crossing in path for line in _checks(graph, crossing)),
        ]
        if event is not None:
            lines.append(f"  {_verdict(graph, path, event)}")
    return [*lines, f"and more than {MAX_PATHS} paths"] if more else lines


def passes(lines: Sequence[str], event: Event | None = None) -> bool:
    """Return whether what `explain` returned has an open path that lets the event pass.

    Args:
        lines: As `explain` returned them.
        event: As it was explained; None for any event.
    """
    if event is not None:
        return any(line.startswith("  passes") for line in lines)
    return any(" > " in line for line in lines)


def _tops(graph: Graph, name: str) -> list[str]:
    return sorted(each for each in graph.above(name) if not graph.supers(each))


def _route(path: Path) -> str:
    names = [path[0].edge.member]
    names += [each.edge.scope if each.up else each.edge.member for each in path]
    return " > ".join(names)


def _checks(graph: Graph, crossing: Crossing) -> Iterator[str]:
    edge = crossing.edge
    name = f"{edge.member} in {edge.scope}"
    node = graph.nodes[edge.member]
    if crossing.up:
        yield from _interface(graph.output_of(edge), f"up {name}: output")
        if edge.up:
            yield f"up {name}: mapped by {len(edge.up.rules)} rules"
        yield from _publishing(graph, edge, name, node)
    else:
        scope = graph.scope(edge.scope)
        if scope.selects:
            yield f"in {edge.scope}: delivery {scope.delivery.turn}, traverse {scope.traverse}"
        if edge.down:
            yield f"down {name}: mapped by {len(edge.down.rules)} rules"
        yield from _interface(graph.input_of(edge), f"down {name}: input")


def _publishing(graph: Graph, edge: Edge, name: str, node: Client | Scope) -> Iterator[str]:
    choice = graph.choice_of(edge)
    if choice is not None:
        yield f"up {name}: chosen by {choice.text}"
    if isinstance(node, Scope) and node.publishing.holds_back:
        policy = node.publishing
        which = f" {policy.which.text}" if policy.which else ""
        if policy.delay_us:
            yield f"up {name}: waits {policy.delay_us / 1e6:g} s{which}"
        if policy.until is not None:
            yield f"up {name}: waits until {policy.until.text}{which}"


def _interface(interface: Interface, where: str) -> Iterator[str]:
    if interface is not None:
        yield f"{where} {' OR '.join(f'({each.text})' for each in interface) or 'nothing'}"


def _verdict(graph: Graph, path: Path, event: Event) -> str:
    for crossing in path:
        edge = crossing.edge
        name = f"{edge.member} in {edge.scope}"
        mapped = edge.up if crossing.up else edge.down
        interface = graph.output_of(edge) if crossing.up else graph.input_of(edge)
        if mapped and not crossing.up:
            return f"passes as far as the mapping down {name}"
        if interface is not None and not any(each.matches(event) for each in interface):
            word = "output" if crossing.up else "input"
            return f"blocked by the {word} interface of {name}"
        if mapped:
            return f"passes as far as the mapping up {name}"
        choice = graph.choice_of(edge) if crossing.up else None
        if choice is not None and not choice.matches(event):
            return f"blocked by the publishing policy of {edge.member} for {edge.scope}"
    return "passes"
