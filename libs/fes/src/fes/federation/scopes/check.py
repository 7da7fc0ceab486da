"""Checks the scopes of a federation file."""

from msgspec import UNSET, UnsetType

from fes.errors import FilterError
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.scopes.build import build
from fes.federation.scopes.management import managed_services, manager_of
from fes.federation.scopes.model import Filters, MappingRule, Member
from fes.federation.scopes.rules import dropped_by
from fes.filter import parse
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.simple import names_in
from fes.filter.language.tree import And, Condition, IsTrue, Not, Or, Parameter
from fes.scopes import Graph
from fes.scopes.parting import natively, natives_parted


def check_scopes(federation: Federation, report: Report) -> None:
    """Report scopes that are not possible, or would not do what they seem to.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    _check_clients(federation, report)
    _check_choices(federation, report)
    before = len(report.findings)
    graph = build(federation, report.error)
    _check_mappings(federation, report)
    if federation.scopes and len(report.findings) == before:
        _check_natives(graph, report)
        _check_manager(federation, graph, report)


def _check_manager(federation: Federation, graph: Graph, report: Report) -> None:
    """Report mappings and policies that no gateway can manage."""
    services = managed_services(graph)
    if services and not manager_of(federation, graph):
        names = ", ".join(services)
        report.error(("scopes",), f"no gateway is attached to all that it would manage: {names}")


def _check_clients(federation: Federation, report: Report) -> None:
    known: dict[tuple[str, str], str] = {}
    for name, client in federation.clients.items():
        other = known.setdefault((client.service, client.principal), name)
        path: Path = ("clients", name)
        if client.service not in federation.event_services:
            report.error((*path, "service"), f"unknown event service {client.service!r}")
        if other != name:
            text = f"{other} is {client.principal!r} at {client.service} already"
            report.error((*path, "principal"), text)
        if name in federation.event_services:
            report.error(path, f"{name} is the name of an event service")
        if not federation.scopes:
            report.warning(path, "there are no scopes that it could be a member of")


def _check_choices(federation: Federation, report: Report) -> None:
    """Report publishing policies that choose a scope which is not a direct superscope."""
    for name, scope in federation.scopes.items():
        for chosen in scope.publishing.choose:
            superscope = federation.scopes.get(chosen)
            if superscope is None or name not in superscope.members:
                path: Path = ("scopes", name, "publishing", "choose", chosen)
                report.error(path, f"{chosen} is not a direct superscope of {name}")
        if scope.publishing.until is not UNSET and not scope.publishing.delay_s:
            continue
        waits = scope.publishing.which is not UNSET and not scope.publishing.delay_s
        if waits:
            place = ("scopes", name, "publishing", "which")
            report.error(place, "nothing waits: neither delay_s nor until is there")


def _check_mappings(federation: Federation, report: Report) -> None:
    """Report mappings that drop what the interface after them needs."""
    for name, scope in federation.scopes.items():
        for member, edge in scope.members.items():
            path: Path = ("scopes", name, "members", member)
            _check_rules(report, edge.down, _input(federation, member, edge), (*path, "down"))
            _check_rules(report, edge.up, scope.output, (*path, "up"))


def _input(federation: Federation, name: str, edge: Member) -> Filters | UnsetType:
    if edge.input is not UNSET or name not in federation.scopes:
        return edge.input
    return federation.scopes[name].input


def _check_rules(
    report: Report, rules: tuple[MappingRule, ...], interface: Filters | UnsetType, path: Path
) -> None:
    if interface is UNSET or not interface:
        return
    for at, rule in enumerate(rules):
        dropped = dropped_by(rule)
        lost = [sorted(dropped & _needed(text)) for text in interface]
        if all(lost):
            names = ", ".join(sorted({name for each in lost for name in each}))
            report.error((*path, at), f"it drops {names}, which the interface after it needs")


def _needed(text: str) -> frozenset[str]:
    """Return the parameters that an event must have for a filter to be true."""
    try:
        return _parameters(normalise(parse(text)))
    except FilterError:
        return frozenset()


def _parameters(tree: Condition) -> frozenset[str]:
    match tree:
        case And(items):
            return frozenset().union(*(_parameters(item) for item in items))
        case Or(items):
            return frozenset.intersection(*(_parameters(item) for item in items))
        case Not() | IsTrue():
            return frozenset()
    return frozenset(name.name for name in names_in(tree) if isinstance(name, Parameter))


def _check_natives(graph: Graph, report: Report) -> None:
    """Report clients that receive natively from each other and that scopes would part."""
    for one, other, why in natives_parted(graph):
        path = ("clients", other.name if other.is_named else one.name)
        report.error(path, natively(one, other, why))
