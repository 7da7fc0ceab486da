"""Filters of admin and proxy, the operator between them, and subscriptions beside them."""

from dataclasses import dataclass, field

import pytest
from eventservices.cns import Event, EventType, InterFilterGroupOperator, structured_event
from eventservices.cns.errors import (
    AdminLimitExceededError,
    FilterNotFoundError,
    InterfaceError,
)
from eventservices.cns.etcl import Filter
from eventservices.cns.filters import MAX_FILTERS, FilterAdmin
from eventservices.cns.gate import gate

AND, OR = InterFilterGroupOperator.AND_OP, InterFilterGroupOperator.OR_OP
A, B = EventType("d", "a"), EventType("d", "b")


class Holder(FilterAdmin):
    """Is an admin or a proxy, as far as filters go."""

    def __init__(self, *filters: object) -> None:
        self.changes = 0
        self._init_filters()
        for one in filters:
            self.add_filter(one)  # type: ignore[arg-type] # each has `matches`

    def _filters_changed(self) -> None:
        self.changes += 1


@dataclass
class Says:
    """Is a filter that always says the same."""

    answer: bool
    asked: int = field(default=0)

    def matches(self, _event: Event) -> bool:
        self.asked += 1
        return self.answer


def event(kind: EventType = A, ul: int = 0) -> Event:
    return structured_event(kind, filterable_data={"ul": ul})


def passes(admin: Holder, proxy: Holder, operator: InterFilterGroupOperator) -> bool:
    accepts = gate(admin, proxy, operator)
    return accepts is None or accepts(event())


T, F = (True,), (False,)
TABLE = [
    # admin, proxy, with AND_OP, with OR_OP
    ((), (), True, True),
    (T, (), True, True),
    (F, (), False, False),
    ((), T, True, True),
    ((), F, False, False),
    (T, T, True, True),
    (T, F, False, True),
    (F, T, False, True),
    (F, F, False, False),
    ((False, True), T, True, True),
    ((False, False), T, False, True),
]


@pytest.mark.parametrize(("admin", "proxy", "with_and", "with_or"), TABLE)
def test_the_operator_combines_the_sides_and_an_empty_one_is_left_out(
    admin: tuple[bool, ...], proxy: tuple[bool, ...], *, with_and: bool, with_or: bool
) -> None:
    one, other = Holder(*map(Says, admin)), Holder(*map(Says, proxy))

    assert passes(one, other, AND) is with_and
    assert passes(one, other, OR) is with_or


SUBSCRIBED = [
    # filter of the proxy, its subscriptions, admin's subscriptions, operator, event type, passes
    ((), {A}, (), AND, A, True),
    ((), {A}, (), AND, B, False),
    (F, {A}, (), AND, A, True),
    (F, {A}, (), AND, B, False),
    (T, {A}, (), AND, B, True),
    (F, (), {A}, AND, A, False),
    (F, (), {A}, OR, A, True),
    (T, (), {A}, AND, B, False),
    (T, (), {A}, OR, B, True),
    ((), {A}, {B}, AND, A, False),
    ((), {A}, {B}, OR, A, True),
]


@pytest.mark.parametrize(("says", "own", "admins", "operator", "kind", "expected"), SUBSCRIBED)
def test_a_subscription_lets_its_type_pass_whatever_the_filters_say(
    says: tuple[bool, ...],
    own: set[EventType],
    admins: set[EventType],
    operator: InterFilterGroupOperator,
    kind: EventType,
    *,
    expected: bool,
) -> None:
    proxy = Holder(*map(Says, says))

    accepts = gate(Holder(), proxy, operator, frozenset(admins), frozenset(own))

    assert accepts is not None
    assert accepts(event(kind)) is expected


@dataclass
class Place:
    """Is one of the four places at which a filter may stand."""

    holder: Holder = field(default_factory=Holder)

    def put(self, text: str) -> None:
        made = Filter()
        made.add_constraints([((), text)])
        self.holder.add_filter(made)


@dataclass
class Sides:
    """Are the consumer's and the supplier's side of one channel."""

    operator: InterFilterGroupOperator
    cproxy: Place = field(default_factory=Place)
    cadmin: Place = field(default_factory=Place)
    sproxy: Place = field(default_factory=Place)
    sadmin: Place = field(default_factory=Place)

    def delivered(self) -> list[int]:
        supplying = gate(self.sadmin.holder, self.sproxy.holder, self.operator)
        consuming = gate(self.cadmin.holder, self.cproxy.holder, self.operator)
        return [
            ul
            for ul in range(1, 11)
            if all(side is None or side(event(ul=ul)) for side in (supplying, consuming))
        ]

    def clear(self) -> None:
        for place in (self.cproxy, self.cadmin, self.sproxy, self.sadmin):
            place.holder.remove_all_filters()


BOTH = [AND, OR]
ACROSS = [
    (consumer, supplier, operator)
    for consumer in ("cproxy", "cadmin")
    for supplier in ("sproxy", "sadmin")
    for operator in BOTH
]
NARROW = [*ACROSS, ("cproxy", "cadmin", AND), ("sproxy", "sadmin", AND)]


@pytest.mark.parametrize(("first", "second", "operator"), NARROW)
def test_sides_and_anded_places_must_all_agree(
    first: str, second: str, operator: InterFilterGroupOperator
) -> None:
    sides = Sides(operator)

    getattr(sides, first).put("$ul < 5 or $ul == 5")
    assert sides.delivered() == [1, 2, 3, 4, 5]
    getattr(sides, second).put("$ul > 5 or $ul == 5")
    assert sides.delivered() == [5]
    sides.clear()
    assert sides.delivered() == list(range(1, 11))


WIDE = [
    ("cproxy", "cadmin", OR),
    ("sproxy", "sadmin", OR),
    *[(place, place, operator) for place in ("cproxy", "sadmin") for operator in BOTH],
]


@pytest.mark.parametrize(("first", "second", "operator"), WIDE)
def test_ored_places_and_filters_of_one_object_let_pass_what_either_does(
    first: str, second: str, operator: InterFilterGroupOperator
) -> None:
    sides = Sides(operator)

    getattr(sides, first).put("$ul < 5")
    assert sides.delivered() == [1, 2, 3, 4]
    getattr(sides, second).put("$ul > 5")
    assert sides.delivered() == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    sides.clear()
    assert sides.delivered() == list(range(1, 11))


def test_a_constraint_added_to_a_filter_counts_at_once() -> None:
    sides, added = Sides(OR), Filter()
    added.add_constraints([((), "$ul < 5")])
    sides.cproxy.holder.add_filter(added)
    assert sides.delivered() == [1, 2, 3, 4]

    added.add_constraints([((), "$ul == 5")])
    assert sides.delivered() == [1, 2, 3, 4, 5]
    sides.cadmin.put("$ul > 6")
    assert sides.delivered() == [1, 2, 3, 4, 5, 7, 8, 9, 10]


def test_filters_are_found_by_ids_that_are_not_used_again() -> None:
    holder, one, other = Holder(), Says(answer=True), Says(answer=False)

    first, second = holder.add_filter(one), holder.add_filter(other)

    assert holder.get_all_filters() == (first, second)
    assert holder.get_filter(first) is one
    holder.remove_filter(first)
    with pytest.raises(FilterNotFoundError):
        holder.get_filter(first)
    with pytest.raises(FilterNotFoundError):
        holder.remove_filter(first)
    assert holder.add_filter(one) not in {first, second}
    holder.remove_all_filters()
    assert holder.get_all_filters() == ()


def test_what_cannot_match_is_no_filter() -> None:
    with pytest.raises(InterfaceError):
        Holder().add_filter("$ul < 5")  # type: ignore[arg-type] # on purpose


def test_filters_are_bounded() -> None:
    holder = Holder(*[Says(answer=False)] * MAX_FILTERS)

    with pytest.raises(AdminLimitExceededError):
        holder.add_filter(Says(answer=True))


def test_a_filter_that_raises_does_not_match_and_is_counted() -> None:
    class Broken:
        def matches(self, _event: Event) -> bool:
            raise RuntimeError("on purpose")

    holder = Holder(Broken())

    assert not holder.passes_filters(event())
    assert holder.filter_errors == 1
    holder.add_filter(Says(answer=True))
    assert holder.passes_filters(event())


def test_a_holder_learns_that_the_constraints_of_its_filter_changed() -> None:
    holder, held = Holder(), Filter()
    number = holder.add_filter(held)

    [info] = held.add_constraints([([A], "")])
    assert holder.changes == 2
    assert holder.filtered_types == {A}
    held.modify_constraints([info.constraint_id], [])
    assert holder.filtered_types == frozenset()
    holder.remove_filter(number)
    changes = holder.changes
    held.add_constraints([([B], "")])
    assert holder.changes == changes
