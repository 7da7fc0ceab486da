"""The subjects that a filter names, for event services that subscribe to subjects only."""

from fes.errors import AdapterError
from fes.filter import Filter, Operators, translate
from fes.filter.translation.translate import Translation
from fes.mapping.apply import Mapping
from fes.mapping.rules.compiled import Compiled
from fes.model import is_reserved

MAX_SUBJECTS = 64
"""Most subjects of one filter."""

_SUBJECTS = Operators(subject=("=",), max_disjuncts=MAX_SUBJECTS)


def named_subjects(filter_: Filter, service: str) -> tuple[tuple[str, ...], Translation]:
    """Return the only subjects whose events a filter can accept, in the filter's order.

    Args:
        filter_: In the filter language.
        service: Name of the event service in the reason of a refusal.

    Returns:
        The subjects, each once; and the translation, with what is widened.

    Raises:
        AdapterError: The filter accepts any subject, more than `MAX_SUBJECTS`, or a reserved one.
    """
    found = translate(filter_.tree, _SUBJECTS)
    if not all(found.disjuncts):
        raise AdapterError(
            f"{service} cannot subscribe to every subject: the filter must name its subjects "
            f"with subject = '…', at most {MAX_SUBJECTS}"
        )
    subjects = tuple(dict.fromkeys(str(disjunct[0].value) for disjunct in found.disjuncts))
    for subject in subjects:
        if is_reserved(subject):
            raise AdapterError(f"subject {subject[:60]!r} is reserved")
    return subjects, found


def rules_for(mapping: Mapping, subject: str) -> tuple[tuple[Compiled, ...], bool]:
    """Return the rules that make events of a subject, and whether automatic mapping does."""
    inward = [rule for rule in mapping.rules if rule.rule.direction != "out"]
    named = tuple(rule for rule in inward if rule.rule.subject == subject)
    return named, mapping.automatic and all(rule.native_subject != subject for rule in inward)
