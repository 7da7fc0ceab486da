"""Filters as subscriptions to topics: at least those of the events that a filter accepts.

Subjects become topics, constants of parameters that are in levels become levels; the adapter
applies the rest of the filter.
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
    """The subscriptions for a filter.

    Attributes:
        patterns: The subscriptions, of which none covers another.
        widened: Descriptions of what they accept beyond the filter.
    """

    patterns: tuple[str, ...]
    widened: tuple[str, ...]


def topics_of(tree: Condition, mapping: Mapping, routes: Routes) -> Topics:
    """Return subscriptions that together match the topics of all that the filter accepts.

    Law: for every topic and payload that become an event which the filter accepts, a subscription
        matches the topic.
    """
    found = wanted(tree, mapping)
    patterns = dict.fromkeys(plain_topics(found.subjects, routes))
    routed: dict[str, None] = {}
    for route in routes.routes:
        if any(pattern.matches(route.event) for pattern in found.subjects):
            patterns.update(dict.fromkeys(route_topics(tree, mapping, route, routes)))
            routed.update(_reasons(tree, mapping, route))
    widened = dict.fromkeys(found.widened) if _unrouted(found.subjects, routes) else routed
    if len(patterns) > MAX_TOPICS:
        widened[f"more than {MAX_TOPICS} topics: widened to every topic"] = None
        patterns = dict.fromkeys((routes.names.syntax.rest,))
    return Topics(least(patterns, routes.names.syntax), tuple(widened))


def _unrouted(subjects: Iterable[Wildcard], routes: Routes) -> bool:
    """Return whether a subject is requested whose events are at no route."""
    return any(plain(pattern) not in routes.events for pattern in subjects)


def plain_topics(subjects: Iterable[Wildcard], routes: Routes) -> Iterator[str]:
    """Yield the topics of subjects that no route names."""
    names, syntax = routes.names, routes.names.syntax
    for pattern in subjects:
        subject = plain(pattern)
        if subject is not None:
            topic = names.topic(subject)
            if subject not in routes.events and not (
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


def route_topics(tree: Condition, mapping: Mapping, route: Route, routes: Routes) -> Iterator[str]:
    """Yield subscriptions to the topics of one route."""
    names = routes.names
    only, subjects = alone(mapping, route.event)
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
    is_whole = len(route.levels) == 1
    return names.syntax.separator.join(
        text
        if not name
        else names.level(fixed[name], alone=is_whole)
        if name in fixed
        else names.syntax.one
        for text, name in route.levels
    )


def _reasons(tree: Condition, mapping: Mapping, route: Route) -> dict[str, None]:
    only, subjects = alone(mapping, route.event)
    told = (_translated(tree, only, subject, route).widened for subject in subjects)
    return {reason: None for reasons in told for reason in reasons}


def alone(mapping: Mapping, native_subject: str) -> tuple[Mapping, tuple[str, ...]]:
    """Return what maps the events of one native subject alone, and the subjects they become."""
    rules = [
        each.rule
        for each in mapping.rules
        if each.rule.direction != "out" and each.native_subject == native_subject
    ]
    automatic = mapping.automatic and not rules
    only = Mapping(rules, mapping.names.rule if mapping.names else None, automatic=automatic)
    subjects = dict.fromkeys(rule.subject for rule in rules)
    if automatic:
        names = mapping.names
        subjects[names.subject_in(native_subject) if names else native_subject] = None
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


def plain(pattern: Wildcard) -> str | None:
    """Return the one text that a pattern matches; None where it matches several."""
    whole = all(isinstance(element, str) for element in pattern.elements)
    return pattern.prefix if whole else None
