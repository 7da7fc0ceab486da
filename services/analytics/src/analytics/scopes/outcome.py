"""The verdict on each promise about scopes."""

from collections.abc import Callable

from analytics.scopes import names
from analytics.scopes.graph import Graph
from analytics.scopes.judging import Charges, Looked
from analytics.scopes.natives import Witnessed
from analytics.verdict import BROKEN, EXAMPLES, HELD, NOT_TESTABLE, Example, Promise


def rule(
    graphs: list[Graph], looked: Looked, charges: dict[str, Charges], seen: Witnessed, doubt: str
) -> tuple[Promise, ...]:
    """Return what became of each promise.

    Args:
        graphs: Before any change, and after each.
        looked: How much could be judged.
        charges: What the event log has against each.
        seen: What native clients noted.
        doubt: Why nothing can be judged; empty where it can.
    """
    return tuple(_promise(name, graphs, looked, charges, seen, doubt) for name in names.PROMISES)


def _promise(
    name: str,
    graphs: list[Graph],
    looked: Looked,
    charges: dict[str, Charges],
    seen: Witnessed,
    doubt: str,
) -> Promise:
    if doubt:
        return Promise(name, NOT_TESTABLE, 0, doubt)
    found, told = charges[name], seen.charges.get(name, Charges())
    offending = found.offending + told.offending
    if offending:
        examples = tuple((told.examples + found.examples)[:EXAMPLES])
        detail = f"{offending} offending, e.g. {_told(examples[0])}"
        return Promise(name, BROKEN, offending, detail, examples)
    natively = seen.receipts if name in (names.VISIBLE, names.INTERFACES) else 0
    over = looked.over[name]
    if not over and not natively:
        return Promise(name, NOT_TESTABLE, 0, _untestable(name, graphs, looked))
    parts = [f"{over} {_OVER[name]}"]
    if natively:
        parts.append(f"{natively} receipts of native clients")
    parts += _left(name, looked)
    return Promise(name, HELD, 0, "; ".join(parts))


def _told(example: Example) -> str:
    return " ".join(part for part in (example.id, example.monitor, example.reason) if part)


_OVER = {
    names.VISIBLE: "deliveries, each between components with a common superscope",
    names.INTERFACES: "deliveries, each by a path that lets it pass",
    names.MEMBERSHIP: "deliveries while scopes changed, each to a member",
    names.IDENTITY: "deliveries where scopes map, each with the identity of its path",
    names.ONE: "kinds of receivers below scopes that choose, each of one member",
    names.DELAY: "deliveries that had to wait",
    names.SESSION: "deliveries with a session, each in it",
    names.CONTROL: "applied requests, each visible where it is applied",
}


def _left(name: str, looked: Looked) -> list[str]:
    """Return what could not be decided, and why."""
    found = []
    if name == names.INTERFACES and looked.undecided:
        found.append(f"{looked.undecided} not testable: parameters decide, which no log has")
    if name == names.INTERFACES and looked.unfinished:
        found.append(f"{looked.unfinished} not testable: too many paths")
    if name == names.INTERFACES and looked.unreadable:
        found.append(f"{looked.unreadable} filters are beyond the judge")
    if name == names.IDENTITY and looked.unfounded:
        found.append(f"{looked.unfounded} not testable: the log is a sample, or the origin long")
    return found


def _untestable(name: str, graphs: list[Graph], looked: Looked) -> str:
    if name == names.CONTROL:
        return "no request was applied at another event service"
    if not looked.deliveries:
        return "nothing was delivered"
    declared = _DECLARED.get(name)
    if declared is not None and not any(map(declared[0], graphs)):
        return declared[1]
    if name == names.MEMBERSHIP:
        return "no scope was changed in this run"
    left = _left(name, looked)
    return left[0] if left else _UNUSED[name]


_DECLARED: dict[str, tuple[Callable[[Graph], bool], str]] = {
    names.IDENTITY: (
        lambda graph: any(edge.up or edge.down for edge in graph.edges.values()),
        "no edge maps",
    ),
    names.ONE: (
        lambda graph: any(scope.chooses for scope in graph.scopes.values()),
        "no scope chooses among its members",
    ),
    names.DELAY: (
        lambda graph: any(scope.delay_us for scope in graph.scopes.values()),
        "no scope delays what it publishes",
    ),
    names.SESSION: (
        lambda graph: any(scope.session for scope in graph.scopes.values()),
        "no scope is a session",
    ),
}

_UNUSED = {
    names.VISIBLE: "nothing was delivered",
    names.INTERFACES: "no path of a delivery was followed to its end",
    names.IDENTITY: "nothing was delivered where scopes map",
    names.ONE: "no event reached several receivers of which a scope chooses",
    names.DELAY: "no delivery certainly had to wait, or a scope ended and released what waited",
    names.SESSION: "no delivery had a session",
}
