"""Makes the steps of a mapping rule of the federation file."""

from msgspec import UNSET

from fes.federation.scopes.model import Gathered, MappingRule, Xml
from fes.scopes.mappings import steps, xml
from fes.scopes.mappings.mapping import Gather, Step


def steps_of(part: MappingRule) -> tuple[Step | Gather, ...]:
    """Return the steps of a rule, in the order of its keys.

    Raises:
        ScopeError: Its plug-in is not installed.
        EventError: A value that it sets has no type.
    """
    made: list[Step | Gather] = [steps.blocked] if part.block else []
    if part.from_xml is not UNSET:
        document = part.from_xml
        made.append(xml.from_xml(document.parameter, _fields(document), document.element))
    made += _changes(part)
    if part.gather is not UNSET:
        made.append(_gather(part.gather))
    if part.to_xml is not UNSET:
        document = part.to_xml
        made.append(xml.to_xml(document.parameter, _fields(document), document.element))
    if part.plugin:
        made.append(steps.plugin(part.plugin))
    return tuple(made)


def dropped_by(part: MappingRule) -> frozenset[str]:
    """Return the parameters that an event no longer has after a rule."""
    kept = {*part.rename.values(), *part.set}
    if part.from_xml is not UNSET:
        kept |= {each.parameter for each in part.from_xml.fields.values()}
    return frozenset({*part.drop, *part.rename} - kept | ({*part.drop} & {*part.set}))


def _changes(part: MappingRule) -> list[Step | Gather]:
    made: list[Step | Gather] = []
    if part.rename:
        made.append(steps.renamed(part.rename))
    if part.convert:
        made.append(steps.converted(part.convert))
    if part.scale:
        factors = {name: (scale.by, scale.plus) for name, scale in part.scale.items()}
        made.append(steps.scaled(factors))
    if part.set:
        made.append(steps.given(part.set))
    if part.drop:
        made.append(steps.without(frozenset(part.drop)))
    if part.subject:
        made.append(steps.retitled(part.subject))
    return made


def _fields(part: Xml) -> dict[str, tuple[str, str]]:
    return {key: (field.parameter, field.type) for key, field in part.fields.items()}


def _gather(part: Gathered) -> Gather:
    results = tuple((name, each.how, each.of) for name, each in part.results.items())
    return Gather(part.count, part.key, part.groups, part.subject, results)
