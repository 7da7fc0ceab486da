"""A syntax tree written as text again, with no parenthesis too many."""

from typing import Final

from eventservices.cns.etcl.tree import (
    And,
    Arithmetic,
    Bare,
    Case,
    Comparison,
    Component,
    Constant,
    Default,
    Exists,
    Expression,
    Implicit,
    In,
    Index,
    Member,
    Named,
    Not,
    Or,
    Position,
    Step,
    Substring,
)
from eventservices.cns.etcl.words import identifier, is_identifier, literal, string_literal

_OR, _AND, _RELATION, _IN, _TWIDDLE, _SUM, _PRODUCT, _NOT, _FACTOR = range(9)
_BINDING: Final = {Or: _OR, And: _AND, Comparison: _RELATION, In: _IN, Substring: _TWIDDLE}


def to_text(tree: Expression) -> str:
    """Return a constraint's text; `parse` returns an equal tree.

    Raises:
        MalformedError: A hand-made tree has a name or a literal that the language cannot write.
    """
    return _written(tree, _OR)


def component_text(component: Component) -> str:
    """Return the text of a component."""
    variable = "" if component.variable is None else identifier(component.variable)
    return "$" + variable + "".join(map(_step, component.steps))


def _written(tree: Expression, least: int) -> str:
    binding = _binding(tree)
    text = _composed(tree, binding)
    return text if binding >= least else f"({text})"


def _binding(tree: Expression) -> int:
    if isinstance(tree, Arithmetic):
        return _PRODUCT if tree.rest[0][0] in "*/" else _SUM
    if isinstance(tree, Not):
        return _NOT
    return _BINDING.get(type(tree), _FACTOR)


def _composed(tree: Expression, binding: int) -> str:
    match tree:
        case And(items) | Or(items):
            word = " and " if isinstance(tree, And) else " or "
            return word.join(_written(item, binding + 1) for item in items)
        case Comparison(left, relation, right):
            return f"{_written(left, _IN)} {relation} {_written(right, _IN)}"
        case In(left, right):
            return f"{_written(left, _TWIDDLE)} in {component_text(right)}"
        case Arithmetic(first, rest):
            parts = "".join(f" {sign} {_written(item, binding + 1)}" for sign, item in rest)
            return _written(first, binding + 1) + parts
        case _:
            return _tight(tree)


def _tight(tree: Substring | Not | Constant | Bare | Component | Exists | Default) -> str:
    match tree:
        case Substring(left, right):
            return f"{_written(left, _SUM)} ~ {_written(right, _SUM)}"
        case Not(item):
            return f"not {_written(item, _FACTOR)}"
        case _:
            return _factor(tree)


def _factor(tree: Constant | Bare | Component | Exists | Default) -> str:
    match tree:
        case Constant(value):
            return literal(value)
        case Bare(name):
            return identifier(name)
        case Component():
            return component_text(tree)
        case Exists(component):
            return f"exist {component_text(component)}"
        case Default(component):
            return f"default {component_text(component)}"


def _step(step: Step) -> str:
    match step:
        case Member(name):
            return f".{identifier(name)}"
        case Position(number):
            return f".{number}"
        case Index(number):
            return f"[{number}]"
        case Named(name):
            return f"({identifier(name) if is_identifier(name) else string_literal(name)})"
        case Case(label):
            return f".({_label(label)})"
        case Implicit(name):
            return f".{name}"


def _label(label: int | str | Bare | None) -> str:
    if label is None:
        return ""
    return identifier(label.name) if isinstance(label, Bare) else literal(label)
