"""A picture of a domain as SVG: channels in layers, connections as arrows, cycles in red."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape as escape_markup
from typing import Final

import networkx as nx

from eventservices.cns.domains.graph import Digraph
from eventservices.cns.domains.graph.components import as_networkx

MOST_DRAWN: Final = 500
"""Most channels in a picture; of a larger domain the lowest, and the title counts the others."""

_COLUMN, _ROW, _MARGIN = 190, 84, 60
_WIDTH, _HEIGHT = 120, 40


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is written at the parts of a picture.

    Attributes:
        title: Over it.
        channels: Text of each channel.
        connections: Text at each connection, by its two ends.
        away: Channels, drawn dashed, whose brokers are away.
        total: How many channels there are, where the graph does not have all of them.
    """

    title: str
    channels: Mapping[int, str]
    connections: Mapping[tuple[int, int], str]
    away: frozenset[int] = frozenset()
    total: int = 0


MOST_TEXT: Final = 40
"""Most characters of the text at a connection."""


def picture(graph: Digraph, drawn: Drawn) -> str:
    """Return an SVG document; the same graph makes the same picture."""
    kept = list(graph)[:MOST_DRAWN]
    part = graph.restricted(kept)
    places = _places(part)
    cyclic = _cyclic(part)
    width = _MARGIN * 2 + _WIDTH + _COLUMN * max((x for x, _ in places.values()), default=0)
    height = _MARGIN * 2 + _HEIGHT + _ROW * max((y for _, y in places.values()), default=0)
    more = max(len(graph), drawn.total) - len(kept)
    title = f"{drawn.title} ({more} more channels are not drawn)" if more else drawn.title
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
        "<defs>",
        *(_marker(name, colour) for name, colour in (("one", "#345"), ("round", "#b22"))),
        "</defs>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_MARGIN}" y="30" font-size="16">{escape(title)}</text>',
        *(
            _arrow(places, edge, drawn.connections.get(edge, ""), round_=edge in cyclic)
            for edge in part.edges
        ),
        *(_box(number, places[number], drawn) for number in part),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _places(graph: Digraph) -> dict[int, tuple[int, int]]:
    """Return a column and a row for each channel: none is left of one that supplies it."""
    whole = as_networkx(graph)
    joined = nx.condensation(whole)
    places: dict[int, tuple[int, int]] = {}
    rows: dict[int, int] = {}
    column = 0
    for layer in nx.topological_generations(joined):
        members = [sorted(joined.nodes[each]["members"]) for each in layer]
        wide = max(map(len, members), default=0)
        for group in sorted(members):
            for offset, number in enumerate(group):
                at = column + offset
                places[number] = (at, rows.get(at, 0))
                rows[at] = rows.get(at, 0) + 1
        column += wide
    return places


def _cyclic(graph: Digraph) -> frozenset[tuple[int, int]]:
    home = {
        number: index
        for index, found in enumerate(nx.strongly_connected_components(as_networkx(graph)))
        for number in found
    }
    return frozenset(edge for edge in graph.edges if home[edge[0]] == home[edge[1]])


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
        f' markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
    )


def _middle(place: tuple[int, int]) -> tuple[float, float]:
    x, y = place
    return _MARGIN + x * _COLUMN + _WIDTH / 2, _MARGIN + y * _ROW + _HEIGHT / 2


def _arrow(
    places: Mapping[int, tuple[int, int]], edge: tuple[int, int], text: str, *, round_: bool
) -> str:
    (ax, ay), (bx, by) = _middle(places[edge[0]]), _middle(places[edge[1]])
    colour, marker = ("#b22", "round") if round_ else ("#345", "one")
    if edge[0] == edge[1]:
        path = f"M{ax - 20} {ay - 20}C{ax - 50} {ay - 70} {ax + 50} {ay - 70} {ax + 20} {ay - 20}"
        at = (ax, ay - 62)
    else:
        forward = bx > ax
        sx, ex = (ax + _WIDTH / 2, bx - _WIDTH / 2) if forward else (ax - 40, bx - 40)
        sy, ey = (ay, by) if forward else (ay + _HEIGHT / 2, by + _HEIGHT / 2)
        bend = 0.0 if forward and by != ay else (-26.0 if forward else 52.0)
        cx, cy = (sx + ex) / 2, (sy + ey) / 2 + bend
        path = f"M{sx} {sy}Q{cx} {cy} {ex} {ey}"
        at = (cx, (sy + ey) / 2 + bend / 2 - 4)
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" marker-end="url(#{marker})"/>'
        f'<text x="{at[0]}" y="{at[1]}" text-anchor="middle" font-size="11" fill="{colour}">'
        f"{escape(_cut(text, MOST_TEXT))}</text>"
    )


def _box(number: int, place: tuple[int, int], drawn: Drawn) -> str:
    x, y = _middle(place)
    dashes = ' stroke-dasharray="5 4"' if number in drawn.away else ""
    name = drawn.channels.get(number, "")
    shown = _cut(name, 16)
    return (
        f"<g><title>{escape(f'{number} {name}')}</title>"
        f'<rect x="{x - _WIDTH / 2}" y="{y - _HEIGHT / 2}" width="{_WIDTH}" height="{_HEIGHT}"'
        f' rx="6" fill="#eef3f8" stroke="#345"{dashes}/>'
        f'<text x="{x}" y="{y - 2}" text-anchor="middle">{number}</text>'
        f'<text x="{x}" y="{y + 14}" text-anchor="middle" font-size="11">{escape(shown)}</text></g>'
    )


def escape(text: str) -> str:
    """Return a text for a place between tags; characters that XML cannot have are replaced."""
    return escape_markup(
        "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
