"""Random filters about properties of JMS messages."""

from collections.abc import Mapping, Sequence
from random import Random

from fes.filter.language.tree import AFFIXES, RELATIONS

NUMBERS = ("byte", "short", "int", "long", "float", "double")


def random_filter(
    draw: Random, properties: Mapping[str, str], numbers: Sequence[float], texts: Sequence[str]
) -> str:
    """Return the text of a filter.

    Args:
        draw: Where it comes from.
        properties: Names and types of JMS.
        numbers: Constants that it may have.
        texts: Constants and patterns that it may have.
    """
    return _either(draw, 2, properties, numbers, texts)


def _either(
    draw: Random,
    depth: int,
    properties: Mapping[str, str],
    numbers: Sequence[float],
    texts: Sequence[str],
) -> str:
    kind = draw.random()
    if depth and kind < 0.55:
        word = draw.choice(("AND", "OR"))
        parts = [_either(draw, depth - 1, properties, numbers, texts) for _ in range(2)]
        return f"({parts[0]} {word} {parts[1]})"
    if depth and kind < 0.7:
        return f"NOT ({_either(draw, depth - 1, properties, numbers, texts)})"
    name = draw.choice(sorted(properties))
    return _test(draw, name, properties[name], numbers, texts)


def _test(
    draw: Random, name: str, kind: str, numbers: Sequence[float], texts: Sequence[str]
) -> str:
    if draw.random() < 0.1:
        return f"{name} IS {draw.choice(('', 'NOT '))}NULL"
    if kind == "boolean":
        return f"{name} {draw.choice(('=', '<>'))} {draw.choice(('TRUE', 'FALSE'))}"
    if kind in NUMBERS:
        one, other = repr(draw.choice(numbers)), repr(draw.choice(numbers))
        return f"{name} {_of_numbers(draw, one, other)}"
    one, other = _text(draw.choice(texts)), _text(draw.choice(texts))
    return f"{name} {_of_texts(draw, one, other)}"


def _of_numbers(draw: Random, one: str, other: str) -> str:
    form = draw.random()
    if form < 0.2:
        return f"BETWEEN {one} AND {other}"
    return f"IN ({one}, {other})" if form < 0.4 else f"{draw.choice(RELATIONS)} {one}"


def _of_texts(draw: Random, one: str, other: str) -> str:
    negation = draw.choice(("", "NOT "))
    forms = (
        f"{draw.choice(('=', '<>'))} {one}",
        f"{negation}IN ({one}, {other})",
        f"{negation}LIKE {one}",
        f"{negation}{draw.choice(AFFIXES)} {one}",
    )
    return draw.choice(forms)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
