"""`fes scopes`: shows, checks, explains, draws and changes the scopes of a federation."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TextIO
from urllib.parse import quote

from serving.files import write_whole

from fes.cli import client
from fes.cli.validate import validate
from fes.errors import FederationError
from fes.federation import load
from fes.federation.scopes.build import graph_of
from fes.model.text import from_json, load_json
from fes.scopes import Client, Graph, Scope
from fes.scopes.explain import explain, passes
from fes.scopes.picture import picture

OK, NO = 0, 1
DEFAULT = Path("federation.yaml")


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("scopes", help="show, check, explain, draw and change scopes")
    acts = parser.add_subparsers(dest="act", required=True)
    show = acts.add_parser("show", help="show scopes with their members and policies")
    check = acts.add_parser("check", help="check the file, its scopes included")
    why = acts.add_parser("explain", help="explain why a component receives what another publishes")
    why.add_argument("publisher")
    why.add_argument("consumer")
    why.add_argument("--event", help="the event, as JSON; names the edge or filter that blocks it")
    _add_changes(acts)
    draw = acts.add_parser("picture", help="draw the scopes as SVG")
    draw.add_argument("-o", "--output", type=Path, help="file; standard output without it")
    for each in (show, check, why, draw):
        each.add_argument(
            "--federation", type=Path, default=DEFAULT, metavar="FILE", help="federation.yaml"
        )


def _add_changes(acts: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the commands that change the scopes of a federation that runs."""
    put = acts.add_parser("put", help="declare a scope while the federation runs; members stay")
    patch = acts.add_parser("set", help="replace interfaces or policies of a scope")
    end = acts.add_parser("end", help="end a scope")
    join = acts.add_parser("join", help="make a component or scope a member, or change its edge")
    leave = acts.add_parser("leave", help="end a membership")
    changes = acts.add_parser("changes", help="list which gateway has applied how many changes")
    for each in (put, patch, end, join, leave):
        each.add_argument("scope")
    for each in (join, leave):
        each.add_argument("member")
    for each in (put, patch, join):
        each.add_argument(
            "keys", nargs="?", default="{}", help="as in the federation file, as JSON; {} if absent"
        )
    for each in (put, patch, end, join, leave, changes):
        client.add_gateway(each)


CHANGES: Final = {
    "put": "PUT",
    "set": "PATCH",
    "end": "DELETE",
    "join": "PUT",
    "leave": "DELETE",
    "changes": "GET",
}
"""What changes the scopes of a federation that runs, and the method of the REST interface."""


def _change(options: Namespace, out: TextIO) -> int:
    """Send a change to the gateway that orders changes, and print its answer as one JSON line."""
    path = "/v1/scopes"
    if options.act == "changes":
        listed = client.request("GET", options, path)
        kept = {key: listed[key] for key in ("orders", "changes", "manager", "acknowledged")}
        out.write(json.dumps(kept) + "\n")
        return OK
    if options.gateway and not options.url:
        options.gateway = client.request("GET", options, f"{path}?limit=1")["orders"]
    path += f"/{quote(options.scope, safe='')}"
    if options.act in ("join", "leave"):
        path += f"/members/{quote(options.member, safe='')}"
    body = load_json(options.keys) if "keys" in options else None
    out.write(json.dumps(client.request(CHANGES[options.act], options, path, body)) + "\n")
    return OK


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
        FesError: The event is not one, or a gateway refuses a change.
    """
    if options.act in CHANGES:
        return _change(options, out)
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
    seen: set[str] = set()
    for name in tops:
        if not graph.supers(name):
            yield from _below(graph, name, 0, seen)


def _below(graph: Graph, name: str, depth: int, seen: set[str]) -> Iterator[str]:
    """Yield a node and what is below it; members of a scope are shown where it is shown first."""
    node = graph.nodes[name]
    members = graph.members(name) if isinstance(node, Scope) else {}
    again = name in seen and bool(members)
    text = _client(node) if isinstance(node, Client) else _scope(node)
    yield "  " * depth + (f"{name} (as above)" if again else text)
    seen.add(name)
    for member in () if again else members:
        yield from _below(graph, member, depth + 1, seen)


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
        write_whole(path, text)
    except OSError as error:
        raise FederationError(f"cannot be written: {error.strerror}", str(path)) from error
