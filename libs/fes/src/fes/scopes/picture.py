"""A picture of scopes, as SVG: superscopes above, circles for scopes, boxes for components."""

from collections.abc import Iterator
from graphlib import TopologicalSorter
from xml.sax.saxutils import escape, quoteattr

from fes.scopes.declared import Client, Edge, Scope
from fes.scopes.graph import Graph

MAX_DRAWN = 2_000
"""Most components and scopes of a picture."""

STEP_X, STEP_Y, MARGIN, HEIGHT, CHARACTER = 28, 96, 24, 30, 7.4
STYLE = (
    "text{font:13px sans-serif;text-anchor:middle}.l{font-size:10px;fill:#555}"
    "rect,ellipse{fill:#fff;stroke:#222}.s{stroke-dasharray:5 3;stroke:#666}"
    ".e{stroke:#888;fill:none}.m{stroke:#b40;fill:none}"
)

Place = tuple[float, float]


def picture(graph: Graph) -> str:
    """Return the text of an SVG file.

    Args:
        graph: The scopes; of more than `MAX_DRAWN` nodes, the scopes alone are drawn.
    """
    names = [name for name in graph.nodes if graph.supers(name) or graph.members(name)]
    if len(names) > MAX_DRAWN:
        names = [name for name in names if isinstance(graph.nodes[name], Scope)][:MAX_DRAWN]
    places = _places(graph, names)
    width = max((x for x, _ in places.values()), default=0) + 120
    height = max((y for _, y in places.values()), default=0) + HEIGHT + MARGIN
    drawn = set(names)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        *(
            _line(graph, edge, places)
            for edge in (*graph.edges(), *_to_clients(graph, names))
            if edge.member in drawn and edge.scope in drawn
        ),
        *(_node(graph.nodes[name], places[name]) for name in names),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _to_clients(graph: Graph, names: list[str]) -> Iterator[Edge]:
    """Yield the edges from event services to their named clients."""
    return (graph.supers(name)[client] for name in names for client in graph.clients_of(name))


def _levels(graph: Graph, names: list[str]) -> dict[str, int]:
    """Return the level of each node: below all of its superscopes that are drawn."""
    drawn = set(names)
    above = {name: [scope for scope in graph.supers(name) if scope in drawn] for name in names}
    level: dict[str, int] = {}
    for name in TopologicalSorter(above).static_order():
        level[name] = max((level[scope] + 1 for scope in above[name]), default=0)
    return level


def _places(graph: Graph, names: list[str]) -> dict[str, Place]:
    """Return the centre of each node, pixels."""
    level = _levels(graph, names)
    ends: dict[int, float] = {}
    places: dict[str, Place] = {}
    for name in sorted(names, key=lambda each: (level[each], graph.place(each))):
        above = [places[scope][0] for scope in graph.supers(name) if scope in places]
        half = _width(name) / 2
        start = ends.get(level[name], MARGIN)
        x = max(start + half, sum(above) / len(above) - half if above else 0)
        places[name] = (x, MARGIN + level[name] * STEP_Y + HEIGHT / 2)
        ends[level[name]] = x + half + STEP_X
    return places


def _width(name: str) -> float:
    return max(44.0, len(name) * CHARACTER + 18)


def _node(node: Client | Scope, place: Place) -> str:
    x, y = place
    half = _width(node.name) / 2
    label = f'<text x="{x:.0f}" y="{y + 5:.0f}">{escape(node.name)}</text>'
    if isinstance(node, Scope):
        kind = ' class="s"' if node.session else ""
        shape = f'<ellipse{kind} cx="{x:.0f}" cy="{y:.0f}" rx="{half:.0f}" ry="{HEIGHT / 2}"/>'
        return shape + label + _policies(node, x, y)
    box = f'<rect x="{x - half:.0f}" y="{y - HEIGHT / 2:.0f}" width="{2 * half:.0f}"'
    return f'{box} height="{HEIGHT}"/>{label}'


def _policies(scope: Scope, x: float, y: float) -> str:
    words = []
    if scope.delivery.turn != "all":
        words.append(f"1 of n: {scope.delivery.turn}")
    if scope.traverse != "broadcast":
        words.append(str(scope.traverse))
    if scope.publishing.delay_us:
        words.append(f"{scope.publishing.delay_us / 1e6:g} s later")
    if scope.publishing.until:
        words.append(f"until {scope.publishing.until.text}")
    text = escape(", ".join(words))
    return f'<text class="l" x="{x:.0f}" y="{y + 27:.0f}">{text}</text>' if text else ""


def _line(graph: Graph, edge: Edge, places: dict[str, Place]) -> str:
    (x1, y1), (x2, y2) = places[edge.member], places[edge.scope]
    kind = "m" if graph.maps(edge) else "e"
    title = escape(f"{edge.member} in {edge.scope}{_interfaces(graph, edge)}")
    points = quoteattr(f"M{x1:.0f} {y1 - HEIGHT / 2:.0f}L{x2:.0f} {y2 + HEIGHT / 2:.0f}")
    return f'<path class="{kind}" d={points}><title>{title}</title></path>'


def _interfaces(graph: Graph, edge: Edge) -> str:
    told = ""
    for word, interface in (("out", graph.output_of(edge)), ("in", graph.input_of(edge))):
        if interface is not None:
            told += f"; {word}: {' OR '.join(each.text for each in interface) or 'nothing'}"
    return told
