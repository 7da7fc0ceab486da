"""Filters of the federation as filters of event buses, which apply them at the source.

`@User` and `@Device` are the user of the sink and the type of its device.
"""

from typing import Final

from eventservices.bus import filters
from eventservices.bus.filters import All, Always, Some

from fes.filter import Condition, Operators, Term, translate
from fes.mapping import Mapping

MAX_ALTERNATIVES: Final = 64
"""Most alternatives of one filter; more are widened to what they have in common."""

USER: Final = "User"
DEVICE: Final = "Device"

_RELATIONS: Final[dict[str, filters.Relation]] = {
    each: each for each in ("=", "<>", "<", "<=", ">", ">=")
}
_AFFIXES: Final = {"STARTS WITH": "starts", "ENDS WITH": "ends", "CONTAINS": "contains"}
_OPERATORS: Final = (*_RELATIONS, *_AFFIXES, "IN", "EXISTS")


def bus_filters(
    tree: Condition, mapping: Mapping | None = None, subject: str | None = None
) -> tuple[dict[str | None, filters.Filter], tuple[str, ...]]:
    """Return the native filters of a filter at an event bus.

    Args:
        tree: From `fes.filter.parse`.
        mapping: Between native events and the federation's; names are the same where None.
        subject: The only subject that the filter accepts; None where that is not known.

    Returns:
        Filters by the name of the events that they are for, None for any; and descriptions of what
        they accept beyond the filter.
    """

    def renamed(term: Term) -> Term | None:
        return term if mapping is None else mapping.native_terms(term, subject)

    words = Operators(("=",), _OPERATORS, _OPERATORS, MAX_ALTERNATIVES, renamed)
    found = translate(tree, words)
    by_name: dict[str | None, list[filters.Filter]] = {}
    for terms in found.disjuncts:
        names = {term.value for term in terms if term.kind == "subject"}
        if len(names) > 1:
            continue  # no event has two names
        rest = tuple(_leaf(term) for term in terms if term.kind != "subject")
        name = names.pop() if names else None
        by_name.setdefault(name, []).append(_joined(rest))
    return {name: _either(items) for name, items in by_name.items()}, found.widened


def _joined(items: tuple[filters.Filter, ...]) -> filters.Filter:
    if not items:
        return Always(value=True)
    return items[0] if len(items) == 1 else All(items)


def _either(items: list[filters.Filter]) -> filters.Filter:
    return items[0] if len(items) == 1 else Some(tuple(items))


def _leaf(term: Term) -> filters.Filter:
    field = filters.Field(term.name, "parameter" if term.kind == "parameter" else "attribute")
    if term.kind == "attribute" and term.name in (USER, DEVICE):
        field = filters.Field("", "user" if term.name == USER else "device")
    if term.op in _RELATIONS:
        return filters.Compare(field, _RELATIONS[term.op], term.value)
    match term.op:
        case "IN":
            return filters.Among(field, tuple(term.value))
        case "EXISTS":
            return filters.Has(field)
        case "STARTS WITH":
            return filters.Affix(field, "starts", term.value)
        case "ENDS WITH":
            return filters.Affix(field, "ends", term.value)
        case _:
            return filters.Affix(field, "contains", term.value)
