"""Subscriptions to MQTT topics, no two of which match one topic."""

from collections.abc import Iterable
from typing import Final

from fes.mapping.topics.levels import MQTT
from fes.mapping.topics.tree import least

MOST_WILD: Final = 128
"""Most subscriptions with wildcards; with more, every topic is subscribed to."""


def apart(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return subscriptions that match at least what some match, and no topic twice."""
    kept = least(patterns, MQTT)
    wild = [pattern for pattern in kept if _is_wild(pattern)]
    if len(wild) > MOST_WILD:
        owned = [pattern for pattern in kept if pattern.startswith("$")]
        return (MQTT.rest, *owned)
    made: list[str] = []
    for pattern in wild:
        joined = pattern
        while other := next((each for each in made if overlap(each, joined)), None):
            made.remove(other)
            joined = join(joined, other)
        made.append(joined)
    return least((*(pattern for pattern in kept if not _is_wild(pattern)), *made), MQTT)


def overlap(one: str, other: str) -> bool:
    """Return whether two subscriptions may match one topic."""
    first, second = one.split("/"), other.split("/")
    for mine, theirs in zip(first, second, strict=False):
        if "#" in (mine, theirs):
            return True
        if "+" not in (mine, theirs) and mine != theirs:
            return False
    longer = first[len(second) :] or second[len(first) :]
    return not longer or longer == ["#"]


def join(one: str, other: str) -> str:
    """Return a subscription that matches whatever two overlapping ones match."""
    first, second = one.split("/"), other.split("/")
    levels: list[str] = []
    for mine, theirs in zip(first, second, strict=False):
        if "#" in (mine, theirs):
            return "/".join((*levels, "#"))
        levels.append(mine if mine == theirs else "+")
    return "/".join(levels if len(first) == len(second) else (*levels, "#"))


def _is_wild(pattern: str) -> bool:
    return "+" in pattern or pattern.endswith("#")
