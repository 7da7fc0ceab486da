"""Rules of a building: Cedar policies, some of which carry a filter.

`@id("…")` names a rule, `@filter("…")` is its filter, in the filter language. A permit's filter is
what it lets pass; a forbid's is what it withholds, so that it does not refuse the subscription.

Source:
    Smart-building thesis, sections 3.4 and 4.4.5; Cedar 4.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

import cedarpy
from eventservices.bus import filters
from fes.adapter.busfilter import bus_filters
from fes.errors import FesError
from fes.filter import Filter
from serving.text import read_text, told_encoding

from fes_policy.errors import PolicyError
from fes_policy.place import fault_of

MOST_RULES = 10_000
MOST_CHARACTERS = 16 * 1024 * 1024
MOST_BYTES = 4 * MOST_CHARACTERS

BATCH: Final = 100
"""Requests that Cedar evaluates at a time, while nothing else of the process runs."""

Uid = tuple[str, str]
"""Type and identifier of an entity."""

TIMES = ("minute", "weekday")
"""What of the context changes by itself."""

CONTEXT = {"Var": "context"}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Its name.
        permits: Whether it permits, or forbids.
        filter: Its filter; None where it has none.
        carried: The filter as buses carry it.
        policy: As Cedar's JSON.
    """

    id: str
    permits: bool
    filter: Filter | None
    carried: filters.Filter | None
    policy: dict[str, Any]

    def reads(self, *names: str) -> bool:
        """Return whether it reads one of these names of the context, or all of it."""
        return _reads(self.policy, names)

    def uids(self) -> frozenset[Uid]:
        """Return the users, groups, events and domains that it names."""
        return frozenset(_uids(self.policy))

    def scope(self, part: Literal["principal", "resource"]) -> Uid | None:
        """Return what a principal or a resource has to be, or to be in; None for any."""
        scope = self.policy[part]
        entity = scope.get("entity") or scope.get("in", {}).get("entity")
        return None if entity is None else (entity["type"], entity["id"])

    def tried(
        self, requests: Iterable[dict[str, Any]], entities: list[dict[str, Any]]
    ) -> Iterator[tuple[bool, str]]:
        """Return of each request whether it applies, and why it cannot be evaluated, or ""."""
        alone, known = _policy_set((self,)), json.dumps(entities)
        remaining = iter(requests)
        while batch := list(islice(remaining, BATCH)):
            for found in cedarpy.is_authorized_batch(batch, alone, known):
                # Cedar's own name of the rule comes before the reason.
                reasons = [each.partition("`: ")[2] for each in found.diagnostics.errors]
                yield bool(found.diagnostics.reasons), "".join(reasons)


class Rules:
    """All rules, made ready.

    Args:
        rules: In order; each id once.

    Attributes:
        read_time: Whether one of them reads the time, so that decisions change with it.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self.read_time = any(each.reads(*TIMES) for each in self.rules)
        self._all = _policy_set(self.rules)
        self._hard = tuple(each for each in self.rules if each.permits or each.filter is None)
        self._without = _policy_set(self._hard)

    def decide(
        self, request: dict[str, Any], entities: list[dict[str, Any]]
    ) -> tuple[bool, tuple[Rule, ...]]:
        """Return whether a request is permitted, and the rules that decided.

        Of a permitted one those are the permits, and the forbids that only withhold something.
        """
        found = cedarpy.is_authorized(request, self._all, entities)
        reasons = _named(found, self.rules)
        if found.allowed or not reasons or any(each.filter is None for each in reasons):
            return found.allowed, reasons
        permitted = cedarpy.is_authorized(request, self._without, entities)
        if not permitted.allowed:
            return False, _named(permitted, self._hard)
        return True, (*_named(permitted, self._hard), *reasons)


def filter_of(rules: Sequence[Rule]) -> filters.Filter | None:
    """Return a permitted request's filter: what any permit lets pass, less what is withheld."""
    permits = [each for each in rules if each.permits]
    withheld = [each.carried for each in rules if not each.permits and each.carried is not None]
    passing: filters.Filter | None = None
    own = [each.carried for each in permits if each.carried is not None]
    if own and len(own) == len(permits):
        passing = own[0] if len(own) == 1 else filters.Some(tuple(own))
    if not withheld:
        return passing
    # What a filter is unknown of is not withheld by it.
    parts = tuple(filters.Not(filters.IsTrue(each)) for each in withheld)
    return filters.All((passing, *parts)) if passing is not None else filters.All(parts)


def text_of(rules: Sequence[Rule]) -> str:
    """Return the same filter in the federation's language; "" where all passes."""
    permits = [each.filter.text if each.filter else "" for each in rules if each.permits]
    parts = [] if "" in permits else [" OR ".join(f"({text})" for text in permits)]
    parts += [
        f"({each.filter.text}) IS NOT TRUE" for each in rules if each.filter and not each.permits
    ]
    return " AND ".join(f"({part})" for part in parts if part)


def load_rules(path: Path) -> Rules:
    """Return the rules of a file.

    Raises:
        PolicyError: It cannot be read, or is not valid; the message names file and rule.
    """
    try:
        text = read_text(path, MOST_BYTES)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise PolicyError(f"{path}:{line}: is not {told_encoding(error)} text") from error
    return parse_rules(text, str(path))


def parse_rules(text: str, place: str = "rules", most: int = MOST_CHARACTERS) -> Rules:
    """Return the rules of a text of Cedar, of so many characters at most.

    Raises:
        PolicyError: It is not valid; the message names the rule.
    """
    if len(text) > most:
        raise PolicyError(f"{place}: more than {most} characters")
    try:
        policies = json.loads(cedarpy.policies_to_json_str(text))["staticPolicies"]
    except ValueError as error:
        raise PolicyError(fault_of(text, place, error)) from error
    if len(policies) > MOST_RULES:
        raise PolicyError(f"{place}: {len(policies)} rules; at most {MOST_RULES}")
    rules: dict[str, Rule] = {}
    for key in sorted(policies, key=lambda each: int(each.removeprefix("policy"))):
        rule = _rule(policies[key], key, place)
        if rule.id in rules:
            raise PolicyError(f"{place}: rule {rule.id!r} is there twice")
        rules[rule.id] = rule
    return Rules(tuple(rules.values()))


def _rule(policy: dict[str, Any], key: str, place: str) -> Rule:
    annotations = policy.get("annotations", {})
    name = annotations.get("id") or key
    text = annotations.get("filter")
    permits = policy["effect"] == "permit"
    if text is None:
        return Rule(name, permits, None, None, policy)
    try:
        filter_ = Filter.of(text)
        found, widened = bus_filters(filter_.tree)
    except FesError as error:
        raise PolicyError(f"{place}: rule {name!r}: filter: {error}") from error
    if widened:
        raise PolicyError(f"{place}: rule {name!r}: filter: buses cannot apply it: {widened[0]}")
    if set(found) - {None}:
        raise PolicyError(f"{place}: rule {name!r}: filter: the subject is the rule's resource")
    carried = found.get(None, filters.Always(value=False))
    return Rule(name, permits, filter_, carried, policy)


def _reads(part: Any, names: tuple[str, ...]) -> bool:
    if isinstance(part, dict):
        if part.get("left") == CONTEXT and "attr" in part:
            return part["attr"] in names
        return part == CONTEXT or any(_reads(each, names) for each in part.values())
    return isinstance(part, list) and any(_reads(each, names) for each in part)


def _uids(part: Any) -> Iterator[Uid]:
    if isinstance(part, dict):
        if isinstance(part.get("type"), str) and isinstance(part.get("id"), str):
            yield part["type"], part["id"]
        for each in part.values():
            yield from _uids(each)
    elif isinstance(part, list):
        for each in part:
            yield from _uids(each)


def _policy_set(rules: Sequence[Rule]) -> cedarpy.PolicySet:
    policies = {f"policy{number}": each.policy for number, each in enumerate(rules)}
    body = {"templates": {}, "staticPolicies": policies, "templateLinks": []}
    return cedarpy.PolicySet.from_str(cedarpy.policies_from_json_str(json.dumps(body)))


def _named(found: Any, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    numbers = sorted(int(each.removeprefix("policy")) for each in found.diagnostics.reasons)
    return tuple(rules[number] for number in numbers)
