"""`fes domains`: requests to a running service of event domains."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO
from urllib.parse import urlencode

import httpx
from serving.files import write_whole
from serving.loopback import NoAnswerError, ask

from fes.errors import FesError, LinkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMEOUT_S: Final = 15.0
DEFAULT_URL: Final = "http://127.0.0.1:8091"
_STYLES: Final = ("Push", "Pull")
_FORMS: Final = ("any", "structured", "sequence")


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("domains", help="manage event domains of connected channels")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list the domains")
    create = actions.add_parser("create", help="create a domain, and print its identifier")
    for name in ("cycles", "diamonds"):
        create.add_argument(f"--{name}", choices=("authorize", "forbid"), help="else the default")
    show = _of_domain(actions, "show", "show a domain with its channels and connections")
    show.add_argument("--svg", type=Path, help="draw it into this file instead")
    add = _of_domain(actions, "add", "add a channel, and print its identifier")
    add.add_argument("broker", help="address of its broker, e.g. nats://127.0.0.1:4222")
    add.add_argument("channel", help="its name there")
    connect = _of_domain(actions, "connect", "connect two channels, and print the identifier")
    connect.add_argument("supplier", type=int, help="identifier of the channel that supplies")
    connect.add_argument("consumer", type=int, help="identifier of the channel that consumes")
    connect.add_argument("--form", choices=_FORMS, default="any", help="form in which events pass")
    connect.add_argument("--style", choices=_STYLES, default="Push", help="push or pull")
    default = _of_domain(actions, "default", "make a channel the default one")
    default.add_argument("role", choices=("supplier", "consumer"), help="for which clients")
    default.add_argument("channel", type=int, help="its identifier")
    remove = _of_domain(actions, "remove", "remove a channel with its connections, or one of these")
    remove.add_argument("kind", choices=("channel", "connection"))
    remove.add_argument("id", type=int, help="its identifier")
    destroy = _of_domain(actions, "destroy", "close all connections and forget a domain")
    cycles = _of_domain(actions, "cycles", "list the elementary cycles")
    diamonds = _of_domain(actions, "diamonds", "list the diamonds with their routes")
    diamonds.add_argument("--view", choices=("minimal", "pair"), default="minimal")
    parsers = (listing, create, show, add, connect, default, remove, destroy, cycles, diamonds)
    for each in parsers:
        each.add_argument("--url", default=DEFAULT_URL, help="where the service listens")


def domains(options: Namespace, out: TextIO) -> int:
    """Perform the request and print the answer.

    Raises:
        LinkError: The service cannot be reached or refuses.
        FesError: A file cannot be written.
    """
    actions: dict[str, Callable[[Namespace, TextIO], None]] = {
        "list": _list,
        "create": _create,
        "show": _show,
        "add": _add,
        "connect": _connect,
        "default": _default,
        "remove": _remove,
        "destroy": _destroy,
        "cycles": _cycles,
        "diamonds": _diamonds,
    }
    actions[options.action](options, out)
    return 0


def _of_domain(
    actions: "_SubParsersAction[ArgumentParser]", name: str, explain: str
) -> ArgumentParser:
    parser = actions.add_parser(name, help=explain)
    parser.add_argument("domain", type=int, help="identifier of the domain")
    return parser


def _list(options: Namespace, out: TextIO) -> None:
    out.writelines(json.dumps(domain) + "\n" for domain in _ask(options, "GET", ""))


def _create(options: Namespace, out: TextIO) -> None:
    given = {"CycleDetection": options.cycles, "DiamondDetection": options.diamonds}
    qos = {name: int(value == "forbid") for name, value in given.items() if value}
    out.write(f"{_ask(options, 'POST', '', {'qos': qos})['id']}\n")


def _show(options: Namespace, out: TextIO) -> None:
    path = f"/{options.domain}"
    if options.svg is None:
        out.write(json.dumps(_ask(options, "GET", path)) + "\n")
        for part in ("/channels", "/connections"):
            out.writelines(json.dumps(each) + "\n" for each in _listed(options, path + part))
        return
    drawing = _ask(options, "GET", f"{path}/picture.svg")
    try:
        write_whole(options.svg, drawing)
    except OSError as error:
        raise FesError(f"{options.svg}: {error.strerror}") from error


def _listed(options: Namespace, path: str) -> "Iterator[Any]":
    """Yield all channels, or connections; the service lists some at a time."""
    after = -1
    while found := _ask(options, "GET", f"{path}?after={after}"):
        yield from found
        after = found[-1]["id"]


def _add(options: Namespace, out: TextIO) -> None:
    body = {"broker": options.broker, "channel": options.channel}
    out.write(f"{_ask(options, 'POST', f'/{options.domain}/channels', body)['id']}\n")


def _connect(options: Namespace, out: TextIO) -> None:
    body = {
        "supplier_id": options.supplier,
        "consumer_id": options.consumer,
        "ctype": f"{options.form.upper()}_EVENT",
        "notification_style": options.style,
    }
    out.write(f"{_ask(options, 'POST', f'/{options.domain}/connections', body)['id']}\n")


def _default(options: Namespace, _out: TextIO) -> None:
    body = {f"{options.role}_channel": options.channel}
    _ask(options, "PATCH", f"/{options.domain}/defaults", body)


def _remove(options: Namespace, _out: TextIO) -> None:
    _ask(options, "DELETE", f"/{options.domain}/{options.kind}s/{options.id}")


def _destroy(options: Namespace, _out: TextIO) -> None:
    _ask(options, "DELETE", f"/{options.domain}")


def _cycles(options: Namespace, out: TextIO) -> None:
    found = _ask(options, "GET", f"/{options.domain}/cycles")
    out.writelines("-".join(map(str, [*cycle, cycle[0]])) + "\n" for cycle in found["cycles"])
    _write_bound(out, len(found["cycles"]), more=found["more"])


def _diamonds(options: Namespace, out: TextIO) -> None:
    query = urlencode({"view": options.view})
    found = _ask(options, "GET", f"/{options.domain}/diamonds?{query}")
    out.writelines(
        " | ".join("-".join(map(str, route)) for route in diamond) + "\n"
        for diamond in found["diamonds"]
    )
    _write_bound(out, len(found["diamonds"]), more=found["more"])


def _write_bound(out: TextIO, count: int, *, more: bool) -> None:
    if more:
        out.write(f"more than {count}\n")


def _ask(options: Namespace, method: str, path: str, body: Any = None) -> Any:
    url = f"{options.url.rstrip('/')}/v1/domains{path}"
    try:
        answer = ask(method, url, body, timeout_s=TIMEOUT_S)
    except NoAnswerError as error:
        raise LinkError(f"no service of event domains answers at {url}: {error}") from error
    if answer.is_error:
        raise LinkError(_refusal(answer))
    if not answer.content or "json" not in answer.headers.get("content-type", ""):
        return answer.text
    return answer.json()


def _refusal(answer: httpx.Response) -> str:
    """Return why the service refused, with the name of the standard's exception."""
    try:
        problem = answer.json()
        return f"{problem['error']}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"{answer.url}: {answer.status_code}: {' '.join(answer.text.split())[:300]}"
