"""The filter language: parse, evaluate, translate to native filters, cover."""

from fes.filter.algebra.cover import covers
from fes.filter.algebra.maximal import Change, Maximal
from fes.filter.canonical import canonical
from fes.filter.evaluate import compile_filter
from fes.filter.filter import Filter
from fes.filter.language.grammar import parse
from fes.filter.language.scan import FilterLimits
from fes.filter.language.tree import Condition
from fes.filter.selector import parse_selector
from fes.filter.translation.translate import Translation, translate
from fes.filter.translation.vocabulary import Operators, Term, Vocabulary

__all__ = [
    "Change",
    "Condition",
    "Filter",
    "FilterLimits",
    "Maximal",
    "Operators",
    "Term",
    "Translation",
    "Vocabulary",
    "canonical",
    "compile_filter",
    "covers",
    "parse",
    "parse_selector",
    "translate",
]
