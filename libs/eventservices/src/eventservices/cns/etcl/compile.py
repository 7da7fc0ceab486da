"""Evaluation: a constraint is compiled once into closures, then costs microseconds an event."""

from collections.abc import Callable
from typing import Any

from eventservices.cns.etcl.access import is_default
from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.etcl.operands import (
    COMPARERS,
    Letter,
    calculate,
    is_element,
    is_substring,
    operand,
    truth,
)
from eventservices.cns.etcl.route import Scope, route
from eventservices.cns.etcl.tree import (
    And,
    Arithmetic,
    Bare,
    Comparison,
    Component,
    Constant,
    Default,
    Exists,
    Expression,
    Implicit,
    In,
    Not,
    Or,
    Relation,
    Substring,
)

Evaluate = Callable[[Scope], Any]


def compile_tree(tree: Expression) -> Evaluate:
    """Return a function that returns the value of a constraint for one event.

    The function raises `EvaluationError`, and nothing else, where there is none.
    """
    match tree:
        case And(items):
            return _all([compile_tree(item) for item in items])
        case Or(items):
            return _any([compile_tree(item) for item in items])
        case Not(item):
            inner = compile_tree(item)
            return lambda scope: not truth(inner(scope))
        case Comparison(left, relation, right):
            return _comparison(compile_tree(left), relation, compile_tree(right))
        case Arithmetic():
            return _arithmetic(tree)
        case _:
            return _leaf(tree)


def _leaf(
    tree: Constant | Bare | Component | Exists | Default | Substring | In,
) -> Evaluate:
    match tree:
        case Constant(value):
            constant = Letter(value) if isinstance(value, str) and len(value) == 1 else value
            return lambda _: constant
        case Bare():
            return lambda _: tree
        case Component():
            get = route(tree)
            return lambda scope: operand(get(scope))
        case _:
            return _test(tree)


def _test(tree: Exists | Default | Substring | In) -> Evaluate:
    match tree:
        case Exists(component):
            return _existence(route(component, exact=True))
        case Default(component):
            get = route(_of_union(component))
            return lambda scope: is_default(get(scope))
        case Substring(left, right):
            first, second = compile_tree(left), compile_tree(right)
            return lambda scope: is_substring(first(scope), second(scope))
        case In(left, right):
            first, second = compile_tree(left), route(right)
            return lambda scope: is_element(first(scope), second(scope))


def _all(tests: list[Evaluate]) -> Evaluate:
    def run(scope: Scope) -> bool:
        return all(truth(test(scope)) for test in tests)

    return run


def _any(tests: list[Evaluate]) -> Evaluate:
    def run(scope: Scope) -> bool:
        return any(truth(test(scope)) for test in tests)

    return run


def _comparison(left: Evaluate, relation: Relation, right: Evaluate) -> Evaluate:
    compare = COMPARERS[relation]
    return lambda scope: compare(left(scope), right(scope))


def _arithmetic(tree: Arithmetic) -> Evaluate:
    first = compile_tree(tree.first)
    rest = [(sign, compile_tree(item)) for sign, item in tree.rest]

    def run(scope: Scope) -> Any:
        value = first(scope)
        for sign, item in rest:
            value = calculate(value, sign, item(scope))
        return value

    return run


def _existence(get: Evaluate) -> Evaluate:
    def run(scope: Scope) -> bool:
        try:
            get(scope)
        except EvaluationError:
            return False
        return True

    return run


def _of_union(component: Component) -> Component:
    steps = component.steps
    ends = bool(steps) and steps[-1] == Implicit("_d")
    return Component(component.variable, steps[:-1]) if ends else component
