"""Filters as subscriptions to topics: at least the topics of what a filter accepts.

Subjects become topics, constants for parameters that are in levels become levels; the rest of a
filter is applied by the adapter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from fes.filter import Condition, Operators, Term, translate
from fes.filter.language.tree import Comparison, Constant, Subject, all_of
from fes.filter.translation.translate import Translation
from fes.mapping.apply import Mapping
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.levels import TopicNames, is_servers
from fes.mapping.topics.routes import Route, Routes
from fes.mapping.topics.tree import least
from fes.wildcard import Wildcard

MAX_ALTERNATIVES: Final = 16
"""Most subscriptions of one filter to the topics of one route; more are widened."""

MAX_TOPICS: Final = 256
"""Most subscriptions of one filter; more are widened to every topic."""


@dataclass(frozen=True, slots=True)
class Topics:
    """What is subscribed to for a filter.

    Attributes:
        patterns: None covers another.
        widened: In words, what they let pass beyond the filter.
    """

    patterns: tuple[str, ...]
    widened: tuple[str, ...]


def topics_of(tree: Condition, mapping: Mapping, routes: Routes) -> Topics:
    """Return subscriptions, one of which matches the topic of whatever the filter accepts.

    Law: for every topic and payload that become an event which the filter accepts, the topic is
    matched.
    """
    found = wanted(tree, mapping)
    patterns = dict.fromkeys(_plain_topics(found.subjects, routes))
    routed: dict[str, None] = {}
    for route in routes.routes:
        if any(pattern.matches(route.event) for pattern in found.subjects):
            patterns.update(dict.fromkeys(_levels(tree, mapping, route, routes)))
            routed.update(_reasons(tree, mapping, route))
    widened = dict.fromkeys(found.widened) if _unrouted(found.subjects, routes) else routed
    if len(patterns) > MAX_TOPICS:
        widened[f"more than {MAX_TOPICS} topics: widened to every topic"] = None
        patterns = dict.fromkeys((routes.names.syntax.rest,))
    return Topics(least(patterns, routes.names.syntax), tuple(widened))


def _unrouted(subjects: Iterable[Wildcard], routes: Routes) -> bool:
    """Return whether a subject is requested whose events are at no route."""
    return any(_plain(pattern) not in routes.events for pattern in subjects)


def _plain_topics(subjects: Iterable[Wildcard], routes: Routes) -> Iterator[str]:
    """Yield the topics of subjects that no route names."""
    names, syntax = routes.names, routes.names.syntax
    for pattern in subjects:
        plain = _plain(pattern)
        if plain is not None:
            topic = names.topic(plain)
            if plain not in routes.events and not (
                routes.route_at(topic) is not None or is_servers(topic, syntax)
            ):
                yield topic
            continue
        prefix = pattern.prefix
        first = prefix.rpartition(names.separator)[0]
        whole = names.separator in prefix
        topic = names.prefix(first) if whole else ""
        if not (topic and is_servers(topic, syntax)):
            yield topic + syntax.rest


def _levels(tree: Condition, mapping: Mapping, route: Route, routes: Routes) -> Iterator[str]:
    """Yield subscriptions to the topics of one route."""
    names = routes.names
    only, subjects = _of_route(mapping, route)
    for subject in subjects:
        for terms in _translated(tree, only, subject, route).disjuncts:
            fixed: dict[str, str] = {}
            possible = True
            for term in terms:
                if term.kind == "subject":
                    possible &= term.value == subject
                elif isinstance(term.value, str):
                    possible &= fixed.setdefault(term.name, term.value) == term.value
            if possible:
                yield _pattern(route, fixed, names)


def _pattern(route: Route, fixed: dict[str, str], names: TopicNames) -> str:
    """Return the subscription to the topics of a route that have some values."""
    alone = len(route.levels) == 1
    return names.syntax.separator.join(
        text
        if not name
        else names.level(fixed[name], alone=alone)
        if name in fixed
        else names.syntax.one
        for text, name in route.levels
    )


def _reasons(tree: Condition, mapping: Mapping, route: Route) -> dict[str, None]:
    only, subjects = _of_route(mapping, route)
    told = (_translated(tree, only, subject, route).widened for subject in subjects)
    return {reason: None for reasons in told for reason in reasons}


def _of_route(mapping: Mapping, route: Route) -> tuple[Mapping, tuple[str, ...]]:
    """Return what maps the events of a route alone, and the subjects that they become."""
    rules = [
        each.rule
        for each in mapping.rules
        if each.rule.direction != "out" and each.native_subject == route.event
    ]
    automatic = mapping.automatic and not rules
    only = Mapping(rules, mapping.names.rule if mapping.names else None, automatic=automatic)
    subjects = dict.fromkeys(rule.subject for rule in rules)
    if automatic:
        subjects[mapping.names.subject_in(route.event) if mapping.names else route.event] = None
    return only, tuple(subjects)


def _translated(tree: Condition, mapping: Mapping, subject: str, route: Route) -> Translation:
    def renamed(term: Term) -> Term | None:
        if term.kind == "subject":
            return term
        native = mapping.native_terms(term, subject)
        is_level = native is not None and native.kind == "parameter" and native.name in route.names
        return native if is_level else None

    words = Operators(
        subject=("=",), parameter=("=",), max_disjuncts=MAX_ALTERNATIVES, renaming=renamed
    )
    return translate(all_of((tree, Comparison(Subject(), "=", Constant(subject)))), words)


def _plain(pattern: Wildcard) -> str | None:
    """Return the one text that a pattern matches; None where it matches several."""
    whole = all(isinstance(element, str) for element in pattern.elements)
    return pattern.prefix if whole else None
