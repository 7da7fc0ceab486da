"""The laws of filters: each takes chance and raises an AssertionError where it is broken."""

from collections.abc import Callable
from typing import Any

from fes.filter import (
    Condition,
    Operators,
    canonical,
    compile_filter,
    covers,
    parse,
    translate,
)
from fes.filter.algebra.maximal import Maximal
from fes.filter.algebra.normal import normalise
from fes.filter.evaluate import Test
from fes.filter.index import MatchIndex
from fes.filter.language.text import to_text
from fes.filter.language.tree import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    Exists,
    IsTrue,
    Not,
    Or,
    Within,
)
from fes.filter.selector import definite
from fes.model import Event
from support.filters.chance import NUMBERS, Chance
from support.filters.services import OPERATORS, applied
from support.filters.slowly import slowly

Law = Callable[[Chance], None]


def evaluation(chance: Chance) -> None:
    """The compiled filter gives what the slow one does."""
    tree = chance.tree()
    chance.favour(tree)
    run = compile_filter(tree)
    for event in chance.events():
        assert run(event) is slowly(tree, event), (to_text(tree), event)


def selectors(chance: Chance) -> None:
    """A selector is false where a filter is unknown because values are of unlike kinds."""
    tree = chance.tree()
    chance.favour(tree)
    run = compile_filter(definite(tree))
    for event in chance.events():
        assert run(event) is slowly(tree, event, unlike=False), (to_text(tree), event)


def logic(chance: Chance) -> None:
    """Not twice is nothing, and De Morgan's laws hold with three values."""
    one, other = chance.tree(2), chance.tree(2)
    pairs: list[tuple[Condition, Condition]] = [
        (Not(Not(one)), one),
        (Not(And((one, other))), Or((Not(one), Not(other)))),
        (Not(Or((one, other))), And((Not(one), Not(other)))),
        (IsTrue(And((one, other))), And((IsTrue(one), IsTrue(other)))),
    ]
    for event in chance.events():
        for left, right in pairs:
            assert compile_filter(left)(event) is compile_filter(right)(event), to_text(left)


def normal_form(chance: Chance) -> None:
    """The normal form keeps all three values, and is its own."""
    tree = chance.tree()
    chance.favour(tree)
    normal, inverse = normalise(tree), normalise(Not(tree))
    assert normalise(normal) == normal, to_text(tree)
    run, run_inverse = compile_filter(normal), compile_filter(inverse)
    for event in chance.events():
        assert run(event) is slowly(tree, event), (to_text(tree), event)
        assert run_inverse(event) is slowly(Not(tree), event), (to_text(tree), event)


def canonical_text(chance: Chance) -> None:
    """The canonical text is that of its own tree, and the written one means the same."""
    tree = chance.tree()
    text = canonical(tree)
    assert parse(text) == normalise(tree), text
    assert canonical(parse(text)) == text
    again = parse(to_text(tree))
    assert canonical(again) == text, to_text(tree)


def translation(chance: Chance) -> None:
    """Whatever terms a service applies, what the filter accepts passes."""
    tree = chance.filter()
    chance.favour(tree)
    vocabulary = Operators(
        subject=_some(chance), parameter=_some(chance), attribute=_some(chance),
        max_disjuncts=chance.choice((1, 1, 2, 3, 5)),
    )  # fmt: skip
    found = translate(tree, vocabulary).disjuncts
    assert len(found) <= vocabulary.max_disjuncts
    assert all(vocabulary.supports(term) for terms in found for term in terms)
    run = compile_filter(tree)
    for event in chance.events():
        if run(event) is True:
            assert any(all(applied(term, event) for term in terms) for terms in found), (
                to_text(tree), found, event,
            )  # fmt: skip


def _some(chance: Chance) -> frozenset[str]:
    share = chance.choice((0.3, 0.6, 1))
    return frozenset(each for each in OPERATORS if chance.random() < share)


def covering(chance: Chance) -> None:
    """What covers a filter is true wherever that is."""
    narrower = chance.filter()
    wider = _wider(chance, narrower)
    chance.favour(narrower)
    chance.favour(wider)
    if covers(wider, narrower):
        accepts, asks = compile_filter(wider), compile_filter(narrower)
        for event in (*chance.events(), *chance.events()):
            assert accepts(event) is True or asks(event) is not True, (
                to_text(wider),
                to_text(narrower),
                event,
            )


def covering_is_seen(chance: Chance) -> None:
    """A filter covers itself and what is asked besides; one more alternative covers it."""
    tree, more = chance.choice((chance.typical(), chance.tree(1))), chance.typical()
    assert covers(tree, tree), to_text(tree)
    assert covers(Or((tree, more)), tree), to_text(tree)
    assert covers(tree, And((tree, more))), to_text(tree)


def maximal_set(chance: Chance) -> None:
    """The maximal filters accept all that any accepts, and changes add up to them."""
    kept: dict[int, Test] = {}
    held: set[int] = set()
    maximal = Maximal[int]()
    events = chance.events()
    for key in range(8):
        if kept and chance.random() < 0.4:
            gone = chance.choice(list(kept))
            del kept[gone]
            change = maximal.remove(gone)
        else:
            tree = chance.typical() if chance.random() < 0.9 else chance.tree(2)
            kept[key] = compile_filter(tree)
            change = maximal.add(key, tree)
        assert not held & {*change.add}
        assert {*change.drop} <= held
        held = (held | {*change.add}) - {*change.drop}
        assert held == {*maximal} <= kept.keys()
        for event in events:
            accepted = [key for key, test in kept.items() if test(event) is True]
            assert not accepted or held & {*accepted}, (accepted, held, event)


def match_index(chance: Chance) -> None:
    """The index tells what asking every filter would."""
    index = MatchIndex[int]()
    kept: list[tuple[int, Condition, Test]] = []
    events = chance.events()
    for _ in range(chance.choice((3, 3, 8, 8, 30))):
        if kept and chance.random() < 0.3:
            place, tree, _ = kept.pop(chance.randrange(len(kept)))
            index.remove(place, tree)
        else:
            tree = _indexed(chance)
            kept.append((chance.randrange(5), tree, compile_filter(tree)))
            index.add(kept[-1][0], tree)
        if chance.random() < 0.3:
            _check_index(index, kept, events[:2])
    _check_index(index, kept, events)
    assert len(index) == len(kept)


def _check_index(
    index: MatchIndex[int], kept: list[tuple[int, Condition, Test]], events: list[Event]
) -> None:
    for event in events:
        wanted = {place for place, _, test in kept if test(event) is True}
        found = index.destinations(event)
        assert found == wanted, ([to_text(tree) for _, tree, _ in kept], event, found)


def _indexed(chance: Chance) -> Condition:
    if chance.random() < 0.2:
        return chance.tree()
    if chance.random() < 0.5:
        return chance.typical()
    name = chance.reference()
    tests = tuple(
        Comparison(name, chance.choice(("<", "<=", ">", ">=")), Constant(chance.choice(NUMBERS)))
        for _ in range(chance.choice((1, 2, 2, 3)))
    )
    return And((*tests, chance.plain_test())) if chance.random() < 0.5 else And((*tests, tests[0]))


def _wider(chance: Chance, tree: Condition) -> Condition:
    """Return a filter that may well cover another."""
    draw = chance.random()
    if draw < 0.2:
        return chance.filter()
    if draw < 0.35:
        return Or((tree, chance.tree(1)))
    if draw < 0.5 and isinstance(tree, And):
        return tree.items[chance.randrange(len(tree.items))]
    if draw < 0.6:
        test = chance.plain_test()
        return Or((And((tree, test)), And((tree, Not(test)))))
    if draw < 0.65:
        return IsTrue(tree)
    return _moved(chance, tree)


def _moved(chance: Chance, tree: Any) -> Condition:
    match tree:
        case And(items):
            return And(tuple(_moved(chance, item) for item in items))
        case Or(items):
            return Or(tuple(_moved(chance, item) for item in items))
        case Comparison(left, relation, Constant() as constant) if chance.random() < 0.6:
            return Comparison(
                left,
                chance.choice((relation, "<>", ">=", "<=")),
                chance.choice((constant, Constant(chance.choice(NUMBERS)))),
            )
        case Within(lat, lon, metres):
            return Within(lat, lon, metres * chance.choice((1, 2, 0.5)))
    return (
        Exists(tree.left)
        if _is_named(tree) and chance.random() < 0.3
        else chance.choice((tree, tree, chance.leaf()))
    )


def _is_named(tree: Any) -> bool:
    return (
        isinstance(tree, Comparison)
        and not isinstance(tree.left, Constant | Arithmetic)
        and (hasattr(tree.left, "name"))
    )


LAWS: dict[str, Law] = {
    "a compiled filter gives what the slow one does": evaluation,
    "a selector is false where kinds are unlike": selectors,
    "not twice is nothing, and De Morgan's laws hold": logic,
    "the normal form keeps all three values": normal_form,
    "the canonical text is that of its own tree": canonical_text,
    "a translation lets pass what the filter accepts": translation,
    "what covers a filter is true wherever it is": covering,
    "covering is seen where it is plain": covering_is_seen,
    "the maximal filters accept all that any accepts": maximal_set,
    "the index tells what asking every filter would": match_index,
}


def broken(law: Law, cases: int, seed: int = 0) -> str:
    """Try a law on many cases.

    Returns:
        The first case that breaks it, which the seed in it repeats; "" where none does.
    """
    for number in range(seed, seed + cases):
        try:
            law(Chance(number))
        except AssertionError as error:
            return f"seed {number}: {error}"
    return ""
