"""Filters of the federation as JMS subscriptions: never less, reported where more.

A subscription is a destination and a selector. Destinations apply what a filter requires of the
subject, and of parameters that are levels; the selector applies what it requires of properties and
header fields. Each subject has a selector of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eventservices.jms.source import Source
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import make_routes
from fes.adapter.settings import read_settings
from fes.filter import Condition, Filter, Term
from fes.filter.language.tree import Comparison, Constant, Subject, all_of
from fes.filter.translation.selectors import Selectable, selector_of
from fes.mapping import Mapping as EventMapping
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.levels import ACTIVEMQ
from fes.mapping.topics.sources import alone, plain, plain_topics, route_topics
from fes.mapping.topics.tree import TopicTree
from fes.wildcard import Wildcard

from adapter_jms.selectors import selector_test
from adapter_jms.settings import Settings

MAX_SUBSCRIPTIONS: Final = 256
"""Most subscriptions of one filter; more are widened to one of every destination of each kind."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is subscribed to for a filter.

    Attributes:
        sources: One of them brings whatever the filter accepts.
        widened: In words, what they let pass beyond the filter.
    """

    sources: tuple[Source, ...]
    widened: tuple[str, ...]


class FilterMapping:
    """Translates filters for one adapter.

    Args:
        settings: The adapter's.
        mapping: Between native events and the federation's; it is inverted.
    """

    def __init__(self, settings: Settings, mapping: EventMapping) -> None:
        self._settings = settings
        self._mapping = mapping
        self._routes = make_routes(settings.texts(), settings.names())

    def translate(self, tree: Condition) -> Sources:
        """Return subscriptions, one of which brings the message of whatever a filter accepts."""
        widened: dict[str, None] = {}
        found: dict[Source, None] = {}
        wild: dict[Source, None] = {}
        for pattern in wanted(tree, self._mapping).subjects:
            selector = self._selector(tree, pattern, widened)
            if selector is not None:
                own = dict.fromkeys(self._sources(tree, pattern, selector))
                (wild if plain(pattern) is None else found).update(own)
        sources = tuple(_widest(wild, found))
        if len(sources) > MAX_SUBSCRIPTIONS:
            widened[f"more than {MAX_SUBSCRIPTIONS} subscriptions: widened to all"] = None
            rest = self._routes.names.syntax.rest
            sources = tuple(Source(kind, rest, "") for kind in {each.kind for each in sources})
        return Sources(sources, tuple(widened))

    def _selector(self, tree: Condition, pattern: Wildcard, widened: dict[str, None]) -> str | None:
        """Return the selector for events of some native subjects; None where none is accepted."""
        native = plain(pattern)
        if native is None:
            return self._alternatives(tree, self._mapping, None, frozenset(), widened)
        only, subjects = alone(self._mapping, native)
        levels = frozenset(
            name for each in self._routes.routes if each.event == native for name in each.names
        )
        found = [
            self._alternatives(
                all_of((tree, Comparison(Subject(), "=", Constant(subject)))),
                only,
                subject,
                levels,
                widened,
            )
            for subject in subjects
        ]
        texts = [each for each in found if each is not None]
        return ("" if "" in texts else " OR ".join(texts)) if texts else None

    def _alternatives(
        self,
        tree: Condition,
        mapping: EventMapping,
        subject: str | None,
        levels: frozenset[str],
        widened: dict[str, None],
    ) -> str | None:
        """Return a selector that accepts what a filter does; None where that is nothing."""

        def text(term: Term) -> str | None:
            is_destinations = _is_destinations(term, levels)
            return "" if is_destinations else selector_test(term, self._settings.properties)

        def renamed(term: Term) -> Term | None:
            return term if term.kind == "subject" else mapping.native_terms(term, subject)

        found = selector_of(tree, Selectable(text, renamed))
        widened.update(dict.fromkeys(found.widened))
        return found.text

    def _sources(self, tree: Condition, pattern: Wildcard, selector: str) -> Iterator[Source]:
        settings, routes = self._settings, self._routes
        for topic in plain_topics((pattern,), routes):
            yield Source(settings.destinations, topic, selector)
        for at, route in enumerate(routes.routes):
            if pattern.matches(route.event):
                for topic in route_topics(tree, self._mapping, route, routes):
                    yield Source(settings.kind_of(at), topic, selector)


def _is_destinations(term: Term, levels: frozenset[str]) -> bool:
    """Return whether the destinations that are subscribed to apply a term."""
    if term.kind == "subject":
        return term.op == "="
    return term.kind == "parameter" and term.name in levels and term.op in ("=", "EXISTS")


def native_form(filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]) -> NativeForm:
    """Return what a filter becomes at JMS; see `fes.adapter.native_form`."""
    settings = read_settings("jms", given, Settings)
    found = FilterMapping(settings, mapping).translate(filter_.tree)
    lines = tuple(f"{each.destination}: {each.selector or 'TRUE'}" for each in found.sources)
    return NativeForm(lines, found.widened)


def _widest(wild: Iterable[Source], sources: Iterable[Source]) -> Iterator[Source]:
    """Yield the subscriptions that no wildcard covers.

    The selector of a wildcard accepts whatever the filter does, of every subject.

    Args:
        wild: Those for a pattern of subjects.
        sources: Those for one subject each.
    """
    trees: defaultdict[str, TopicTree] = defaultdict(lambda: TopicTree(ACTIVEMQ))
    first = {(each.kind, each.pattern): each for each in reversed(tuple(wild))}
    for kind, pattern in first:
        trees[kind].add(pattern)
    for each in reversed(first.values()):
        if all(found == each.pattern for found in trees[each.kind].covering(each.pattern)):
            yield each
    for each in sources:
        if next(trees[each.kind].covering(each.pattern), None) is None:
            yield each
