"""`fes scopes`: shows, checks, explains and draws the scopes of a federation."""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from fes.cli.validate import validate
from fes.errors import FederationError
from fes.federation import load
from fes.federation.scopes.build import graph_of
from fes.model.text import from_json
from fes.scopes import Client, Graph, Scope
from fes.scopes.explain import explain, passes
from fes.scopes.picture import picture

OK, NO = 0, 1
DEFAULT = Path("federation.yaml")


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("scopes", help="show, check, explain and draw scopes")
    acts = parser.add_subparsers(dest="act", required=True)
    show = acts.add_parser("show", help="show scopes with their members and policies")
    check = acts.add_parser("check", help="check the file, its scopes included")
    why = acts.add_parser("explain", help="explain why a component receives what another publishes")
    why.add_argument("publisher")
    why.add_argument("consumer")
    why.add_argument("--event", help="an event, as JSON: shows the edge or filter that blocks it")
    draw = acts.add_parser("picture", help="draw the scopes as SVG")
    draw.add_argument("-o", "--output", type=Path, help="file; standard output without it")
    for each in (show, check, why, draw):
        each.add_argument(
            "--federation", type=Path, default=DEFAULT, metavar="FILE", help="federation.yaml"
        )


def run(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Run the command.

    Args:
        options: The arguments of `add_parser`.
        environment: Values of `${NAME}` and of `FES__…` overrides.
        out: Receives the output.

    Returns:
        Exit status: 0; 1 where the file has errors, or no event passes.

    Raises:
        FederationError: The file is not valid, or the picture cannot be written.
        FesError: The event is not one.
    """
    if options.act == "check":
        return validate([options.federation], environment, out)
    graph = graph_of(load(options.federation, environment))
    match options.act:
        case "show":
            out.writelines(line + "\n" for line in shown(graph))
            return OK
        case "picture":
            _write(options.output, picture(graph), out)
            return OK
    event = None if options.event is None else from_json(options.event.encode())
    lines = explain(graph, options.publisher, options.consumer, event)
    out.writelines(line + "\n" for line in lines)
    return OK if passes(lines, event) else NO


def shown(graph: Graph) -> Iterator[str]:
    """Yield lines for the scopes that are in no other, each with its content indented."""
    tops = [name for name, node in graph.nodes.items() if isinstance(node, Scope)]
    for name in tops:
        if not graph.supers(name):
            yield from _below(graph, name, 0)


def _below(graph: Graph, name: str, depth: int) -> Iterator[str]:
    node = graph.nodes[name]
    yield "  " * depth + (_client(node) if isinstance(node, Client) else _scope(node))
    for member in graph.members(name):
        yield from _below(graph, member, depth + 1)


def _client(client: Client) -> str:
    if client.principal:
        return f"{client.name} ({client.principal} at {client.service})"
    return client.name


def _scope(scope: Scope) -> str:
    words = [word for word, there in (("session", scope.session),) if there]
    for word, interface in (("in", scope.input), ("out", scope.output)):
        if interface is not None:
            words.append(f"{word}: {' OR '.join(each.text for each in interface) or 'nothing'}")
    if scope.selects:
        words.append(f"delivery: {scope.delivery.turn}, traverse: {scope.traverse}")
    if scope.publishing.delay_us:
        words.append(f"waits {scope.publishing.delay_us / 1e6:g} s")
    if scope.publishing.until is not None:
        words.append(f"waits until {scope.publishing.until.text}")
    return f"{scope.name} [{'; '.join(words)}]" if words else f"{scope.name} []"


def _write(path: Path | None, text: str, out: TextIO) -> None:
    if path is None:
        out.write(text)
        return
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise FederationError(f"cannot be written: {error.strerror}", str(path)) from error
