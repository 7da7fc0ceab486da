"""Figures 21 to 23 as drawings: the thesis's line beside ours, each with its own scale."""

from typing import Final

from active_badge.timings import Spread

WIDTH: Final = 420
HEIGHT: Final = 240
MARGIN: Final = 48
COLOURS: Final = ("#1b6ca8", "#c8553d", "#588157")


def plot(title: str, axis: str, lines: dict[str, list[tuple[float, float]]], unit: str) -> str:
    """Return a drawing.

    Args:
        title: Above it.
        axis: Below it.
        lines: Points by name; at most three.
        unit: Of the vertical axis.
    """
    points = [point for line in lines.values() for point in line]
    right = max(x for x, _ in points) or 1
    top = max(y for _, y in points) or 1
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f'<text x="{WIDTH / 2}" y="16" text-anchor="middle">{title}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{axis}</text>',
        f'<text x="4" y="{MARGIN - 8}">{top:.4g} {unit}</text>',
        _frame(),
    ]
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        placed = [
            (
                MARGIN + (WIDTH - MARGIN - 20) * x / right,
                HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * y / top,
            )
            for x, y in line
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = list(lines).index(name)
        parts.append(
            f'<text x="{MARGIN + 6 + 125 * at}" y="{HEIGHT - 26}" fill="{colour}">{name}</text>'
        )
    return "".join([*parts, "</svg>"])


def _frame() -> str:
    path = f"M{MARGIN},{MARGIN - 4} V{HEIGHT - MARGIN} H{WIDTH - 8}"
    return f'<path d="{path}" fill="none" stroke="#666"/>'


def points(spreads: dict[int, Spread]) -> list[tuple[float, float]]:
    """Return medians over numbers."""
    return [(number, spread.median) for number, spread in sorted(spreads.items())]
