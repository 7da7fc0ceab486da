"""`fes inject`, `fes subscriptions` and others: requests to a running gateway."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import httpx
from serving.loopback import NoAnswerError, ask

from fes.errors import FesError, LinkError
from fes.model.text import load_json
from fes.running.supervision.endpoints import read_endpoints

TIMEOUT_S = 10.0
LISTS = ("subscriptions", "announcements", "adapters")


def add_parsers(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the commands to the command line of `fes`."""
    inject = subparsers.add_parser("inject", help="inject a request into a running gateway")
    inject.add_argument(
        "type",
        choices=(
            "subscription",
            "unsubscription",
            "announcement",
            "unannouncement",
            "publication",
        ),
    )
    inject.add_argument("--source", required=True, help="event service that the request comes from")
    inject.add_argument("--dist-list", required=True, help="where it shall be applied")
    inject.add_argument("--filter", help="of (un)subscriptions, in the filter language")
    inject.add_argument("--event", help="of the others: the event as JSON")
    inject.add_argument("--requester", default="cli", help="names the client")
    add_gateway(inject)
    for name in LISTS:
        add_gateway(subparsers.add_parser(name, help=f"list the {name} of a running gateway"))


def inject(options: Namespace, out: TextIO) -> int:
    """Inject a request and print its id.

    Raises:
        CodecError: The event is not JSON.
        LinkError: The gateway cannot be reached or refuses the request.
    """
    body: dict[str, Any] = {
        "type": options.type,
        "source": options.source,
        "dist_list": options.dist_list,
        "requester": options.requester,
    }
    if options.filter is not None:
        body["filter"] = options.filter
    if options.event is not None:
        body["event"] = load_json(options.event)
    answer = _ask("POST", _url(options) + "/v1/requests", body)
    out.write(json.dumps(answer) + "\n")
    return 0


def show(name: str, options: Namespace, out: TextIO) -> int:
    """Print a list of a gateway, one JSON line for each entry.

    Raises:
        LinkError: The gateway cannot be reached.
    """
    entries = _ask("GET", f"{_url(options)}/v1/{name}")
    out.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    return 0


def add_gateway(parser: ArgumentParser) -> None:
    """Add the options that name a running gateway."""
    parser.add_argument("--gateway", help="its identifier, in the run's endpoints.json")
    parser.add_argument("--run", type=Path, default=Path("runs/latest"), help="folder of the run")
    parser.add_argument("--url", help="the gateway's address, instead of --gateway")


def request(method: str, options: Namespace, path: str, body: Any = None) -> Any:
    """Return what the gateway that the options name answers.

    Raises:
        LinkError: The gateway cannot be reached or refuses the request.
        FesError: The options name no gateway.
    """
    return _ask(method, _url(options) + path, body)


def _url(options: Namespace) -> str:
    if options.url:
        return str(options.url).rstrip("/")
    try:
        gateways = read_endpoints(options.run).gateways
    except FesError as error:
        hint = "name its folder with --run, or the gateway's address with --url"
        raise FesError(f"{error}; {hint}") from error
    if options.gateway in gateways:
        return gateways[options.gateway].url
    raise FesError(f"--gateway {options.gateway}: choose one of {_shown(gateways)}")


def _shown(names: Iterable[str], most: int = 20) -> str:
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def _detail(answer: httpx.Response) -> str:
    """Return the detail of a gateway's problem report."""
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = answer.text
    return " ".join(str(detail).split())[:500]


def _ask(method: str, url: str, body: Any = None) -> Any:
    try:
        answer = ask(method, url, body, timeout_s=TIMEOUT_S)
    except NoAnswerError as error:
        what = f"no gateway answers at {url}: {error}"
        raise LinkError(f"{what}; does the federation run?") from error
    if answer.is_error:
        raise LinkError(f"{url}: {answer.status_code}: {_detail(answer)}")
    try:
        return answer.json()
    except ValueError as error:
        raise LinkError(f"{url}: no gateway answers there") from error
