"""The filter language: parse, evaluate, translate to native filters, cover."""

from fes.filter.canonical import canonical
from fes.filter.cover import covers
from fes.filter.evaluate import compile_filter
from fes.filter.filter import Filter
from fes.filter.grammar import parse
from fes.filter.maximal import Change, Maximal
from fes.filter.scan import FilterLimits
from fes.filter.selector import parse_selector
from fes.filter.translate import Translation, translate
from fes.filter.tree import Condition
from fes.filter.vocabulary import Operators, Term, Vocabulary

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
