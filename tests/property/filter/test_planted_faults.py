"""The laws judge: with a fault planted in translation, covering or index, one of them breaks."""

import sys
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import pytest
from adapter_cns.constraints import ConstraintMapping, Constraints
from adapter_siena.mapping import FilterMapping
from fes.filter.algebra import alternatives, cover, facts, weaken
from fes.filter.algebra.alternatives import Tests
from fes.filter.algebra.fact import Fact
from fes.filter.algebra.facts import Facts
from fes.filter.algebra.interval import Interval
from fes.filter.algebra.maximal import Maximal
from fes.filter.index import equalities, route
from fes.filter.index.bounds import Bounds
from fes.filter.index.intervals import Intervals
from fes.filter.language.tree import Comparison, Condition, Constant
from fes.mapping.inversion import terms
from support.filters.laws import LAWS, broken
from support.filters.native_laws import NATIVE_LAWS

CASES = 3000

TRANSLATE = sys.modules["fes.filter.translation.translate"]
"""The module: the package has a function of the same name."""

Plant = Callable[[pytest.MonkeyPatch], None]

_starting_with = Interval.starting_with
_translate_to_etcl = ConstraintMapping.translate
_translate_to_siena = FilterMapping.translate
_remove = Maximal.remove


def _the_ends_of_in_are_left_out(patch: pytest.MonkeyPatch) -> None:
    def ends(operand: Any, values: list[Any]) -> tuple[Condition, ...]:
        if any(isinstance(value, str | bool) for value in values):
            return ()
        low, high = Constant(min(values)), Constant(max(values))
        return (Comparison(operand, ">", low), Comparison(operand, "<", high))

    patch.setattr(weaken, "_ends_of_values", ends)


def _the_first_alternative_stands_for_all(patch: pytest.MonkeyPatch) -> None:
    def first(found: list[Tests], allowed: Any) -> Tests:
        return tuple(test for test in found[0] if allowed(test))

    patch.setattr(alternatives, "shared", first)


def _a_widened_test_is_negated(patch: pytest.MonkeyPatch) -> None:
    def wrong(test: Condition) -> tuple[Condition, ...]:
        match test:
            case Comparison(operand, "<", constant):
                return (Comparison(operand, ">=", constant),)
        return ()

    patch.setattr(TRANSLATE, "consequences", wrong)


def _a_scale_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(terms, "_inverted", lambda _, term: term)


def _constraints_are_joined_by_or(patch: pytest.MonkeyPatch) -> None:
    def joined(self: ConstraintMapping, filter_: Any) -> Constraints:
        found = _translate_to_etcl(self, filter_)
        text = " or ".join(f"({text})" for text in found.texts if text)
        texts = (text,) if all(found.texts) and found.texts else found.texts
        return Constraints(found.types, texts, found.anys, found.widened)

    patch.setattr(ConstraintMapping, "translate", joined)


def _only_the_first_native_filter_is_made(patch: pytest.MonkeyPatch) -> None:
    def first(self: FilterMapping, tree: Condition) -> Any:
        filters, widened = _translate_to_siena(self, tree)
        return filters[:1], widened

    patch.setattr(FilterMapping, "translate", first)


def _a_prefix_ends_too_early(patch: pytest.MonkeyPatch) -> None:
    def early(self: Interval, prefix: str) -> Interval:
        return _starting_with(self, prefix).narrowed("<=", prefix + "a") if prefix else self

    patch.setattr(Interval, "starting_with", early)


def _kinds_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    def blind(self: Fact, test: Condition) -> bool:
        match test:
            case Comparison(_, "<>", Constant(value)):
                return value not in {known for _, known in self.values or ()} and self.present
        return False

    patch.setattr(Fact, "implies", blind)


def _any_disc_is_in_another(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(facts, "encloses", lambda *_: True)


def _what_is_unknown_counts_as_false(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Facts, "decides", lambda *_: True)


def _the_first_alternative_is_covered_only(patch: pytest.MonkeyPatch) -> None:
    def first(tree: Condition, limit: int) -> Any:
        found, widened = alternatives.alternatives(tree, limit)
        return found[:1], widened

    patch.setattr(cover, "alternatives", first)


def _covered_filters_do_not_come_back(patch: pytest.MonkeyPatch) -> None:
    def alone(self: Maximal[int], key: int) -> Any:
        for below in [each for each in self._above if self._above[each] == key]:
            _remove(self, below)
        return _remove(self, key)

    patch.setattr(Maximal, "remove", alone)


def _true_and_one_are_one_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(equalities, "_keyed", lambda value: value if value is not None else "nothing")


def _a_bound_itself_is_left_out(patch: pytest.MonkeyPatch) -> None:
    def met(self: Bounds[Any], end: Any) -> Any:
        if self._fresh:
            self._sort_in()
        at = bisect_left(self._ends, end)
        yield self._items[:at] if self._lower else self._items[at + 1 :]

    patch.setattr(Bounds, "met", met)


def _the_narrowest_bound_counts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Bounds, "_widest", lambda self, ends: ends[-1] if self._lower else ends[0])


def _only_the_top_of_the_tree_is_asked(patch: pytest.MonkeyPatch) -> None:
    def met(self: Intervals[Any], end: Any) -> Any:
        if self._fresh:
            self._sort_in()
        if self._root is not None and end <= self._root.centre:
            yield [item for low, high, item in self._root.entries if low <= end <= high]

    patch.setattr(Intervals, "met", met)


def _what_is_left_is_not_tested(patch: pytest.MonkeyPatch) -> None:
    plain = route._route

    def bare(tests: Any) -> Any:
        found = plain(tests)
        return route.Route(found.subject, found.equal, found.span, ())

    patch.setattr(route, "_route", bare)


COVER = LAWS["what covers a filter is true wherever it is"]
INDEX = LAWS["the index tells what asking every filter would"]
ANY = LAWS["a translation lets pass what the filter accepts"]
CNS, SIENA, _, _, _, SCALES = NATIVE_LAWS.values()

FAULTS: list[tuple[Plant, Callable[[Any], None]]] = [
    (_the_ends_of_in_are_left_out, ANY),
    (_the_first_alternative_stands_for_all, ANY),
    (_a_widened_test_is_negated, ANY),
    (_a_scale_is_forgotten, SCALES),
    (_constraints_are_joined_by_or, CNS),
    (_only_the_first_native_filter_is_made, SIENA),
    (_a_prefix_ends_too_early, CNS),
    (_kinds_are_not_looked_at, COVER),
    (_any_disc_is_in_another, COVER),
    (_what_is_unknown_counts_as_false, COVER),
    (_the_first_alternative_is_covered_only, COVER),
    (_covered_filters_do_not_come_back, LAWS["the maximal filters accept all that any accepts"]),
    (_true_and_one_are_one_key, INDEX),
    (_a_bound_itself_is_left_out, INDEX),
    (_the_narrowest_bound_counts, INDEX),
    (_only_the_top_of_the_tree_is_asked, INDEX),
    (_what_is_left_is_not_tested, INDEX),
]


@pytest.mark.parametrize(("plant", "law"), FAULTS, ids=[plant.__name__ for plant, _ in FAULTS])
def test_a_planted_fault_is_caught(
    plant: Plant, law: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert broken(law, CASES)
