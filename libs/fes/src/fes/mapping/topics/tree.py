"""A tree of subscriptions to topics: finds those that cover a topic or another subscription.

The cost of a look-up grows with the levels of the topic, not with the number of subscriptions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fes.mapping.topics.levels import Syntax


@dataclass(slots=True)
class _Node:
    pattern: str | None = None
    below: dict[str, "_Node"] = field(default_factory=dict)


class TopicTree:
    """Keeps subscriptions by level.

    Args:
        syntax: The service's syntax.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._root = _Node()

    def add(self, pattern: str) -> None:
        """Add a subscription; idempotent."""
        node = self._root
        for level in pattern.split(self._syntax.separator):
            node = node.below.setdefault(level, _Node())
        node.pattern = pattern

    def remove(self, pattern: str) -> None:
        """Remove a subscription; idempotent."""
        way = [self._root]
        levels = pattern.split(self._syntax.separator)
        for level in levels:
            if level not in way[-1].below:
                return
            way.append(way[-1].below[level])
        way[-1].pattern = None
        for level in reversed(levels):
            node = way.pop()
            if node.below or node.pattern is not None:
                return
            del way[-1].below[level]

    def covering(self, topic: str) -> Iterator[str]:
        """Yield the subscriptions that match a topic, or all topics that another one matches.

        Args:
            topic: A topic or a subscription; a subscription that is in the tree covers itself.
        """
        syntax = self._syntax
        levels = topic.split(syntax.separator)
        hidden = syntax.wild_hides_dollar and topic.startswith("$")
        nodes = [self._root]
        for at, level in enumerate(levels):
            wild = not (hidden and at == 0)
            for node in nodes:
                rest = node.below.get(syntax.rest)
                if rest is not None and rest.pattern is not None and wild:
                    yield rest.pattern
            nodes = list(self._next(nodes, level, wild=wild)) if level != syntax.rest else []
        for node in nodes:
            if node.pattern is not None:
                yield node.pattern
            rest = node.below.get(syntax.rest)
            if syntax.rest_may_be_none and rest is not None and rest.pattern is not None:
                yield rest.pattern

    def _next(self, nodes: Iterable[_Node], level: str, *, wild: bool) -> Iterator[_Node]:
        for node in nodes:
            one = node.below.get(self._syntax.one)
            if one is not None and wild:
                yield one
            same = node.below.get(level) if level != self._syntax.one else None
            if same is not None:
                yield same


def least(patterns: Iterable[str], syntax: Syntax) -> tuple[str, ...]:
    """Return the subscriptions that no other covers, each once."""
    each = tuple(dict.fromkeys(patterns))
    tree = TopicTree(syntax)
    for pattern in each:
        tree.add(pattern)
    return tuple(one for one in each if all(found == one for found in tree.covering(one)))
