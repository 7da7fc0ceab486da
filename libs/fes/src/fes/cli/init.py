"""`fes init`: writes a commented federation file for systems that run already."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final, TextIO

from eventservices.addresses import split_url
from eventservices.errors import MalformedError
from eventservices.secure import split_access
from eventservices.secure.access import OPEN, SECURE

from fes.errors import FesError
from fes.federation.login import Tls
from fes.federation.names import fault_of

KINDS: Final = {
    "mqtt": "mqtt",
    "mqtts": "mqtt",
    "nats": "nats",
    "tls": "nats",
    "kafka": "kafka",
    "kafka+ssl": "kafka",
    "stomp": "jms",
    "stomp+ssl": "jms",
}
"""Scheme of an address to the kind of its system."""

SETTINGS: Final = {
    "mqtt": """    settings:
      protocol: "5"                          # "3.1.1" for a broker that knows no other
      # value: value                         # payloads of one value, as 21.5, are this parameter
      # routes:                              # levels of topics as parameters
      #   - {topic: "sensors/{room}/{quantity}", event: Reading}
""",
    "nats": """    settings:
      separator: "/"                         # a/b in the federation is a.b here
      # value: value                         # payloads of one value, as 21.5, are this parameter
      # stream: ORDERS                       # a JetStream stream that keeps the messages
""",
    "kafka": """    settings:
      separator: "/"                         # a/b in the federation is a.b here
      # value: value                         # payloads of one value, as 21.5, are this parameter
      # start: earliest                      # where the adapter's group begins
""",
    "jms": """    settings:
      separator: "/"                         # a/b in the federation is a.b here
      # properties: {rate: double}           # the broker filters by them
      # routes:
      #   - {queue: orders, event: Order}    # any other destination is a topic
""",
}

SECURE_HINT: Final = """\
  # Its certificate is verified; where its authority is not one of the system's, add
  # tls: {ca_file: ca.pem}, and certificate_file and key_file where it requires a client's.
"""

HEAD: Final = """\
# A federation of systems that know nothing of it, written by `fes init`.
# `fes validate {file}` checks it, `fes run {file}` runs it, and beside that
# `fes listen {file} {first}` shows what passes at {first}.
version: 1
system: {system}
"""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("init", help="write a federation file for running systems")
    parser.add_argument(
        "urls",
        nargs="+",
        metavar="URL",
        help="mqtt://host:port, nats://host:port, kafka://…, stomp://…; with TLS mqtts://, tls://,"
        " kafka+ssl://, stomp+ssl://",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("federation.yaml"),
        metavar="FILE",
        help="the file to write (default: federation.yaml)",
    )
    parser.add_argument("--system", default="home", help="name of the federation")


def init(options: Namespace, out: TextIO) -> int:
    """Write the file; an existing one is not changed.

    Raises:
        FesError: The file exists, or an address is not of a known kind.
    """
    text = text_of(options.urls, options.system, str(options.out))
    try:
        with options.out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise FesError(f"{options.out} is there already; name another with --out") from error
    except OSError as error:
        with suppress(OSError):
            options.out.unlink(missing_ok=True)
        raise FesError(f"{options.out} cannot be written: {error.strerror}") from error
    out.write(f"wrote {options.out}; now: fes run {options.out}\n")
    return 0


def text_of(urls: list[str], system: str, file: str) -> str:
    """Return a federation file in which every system receives the events of all others.

    Raises:
        FesError: There are fewer than two addresses, one is of no known kind, or the name is bad.
    """
    if len(urls) < 2:
        raise FesError("name two systems at least")
    fault = fault_of(system)
    if fault is not None:
        raise FesError(fault)
    names = _names(urls)
    parts = [HEAD.format(file=file, system=json.dumps(system), first=names[0][0]), "brokers:\n"]
    parts += [_broker(*each) for each in names]
    parts.append("event_services:\n")
    for name, kind, _ in names:
        parts.append(f"  {name}:\n    kind: {kind}\n    brokers: [{name}]\n{SETTINGS[kind]}")
    attached = ", ".join(f"{name}: {{}}" for name, _, _ in names)
    parts.append(f"gateways:\n  gate: {{adapters: {{{attached}}}}}\n")
    parts.append(
        "# Which events go where. A filter may use values: \"subject = 'a/b' AND celsius > 30\"\n"
        "requests:\n"
    )
    for name, _, _ in names:
        others = ", ".join(other for other, _, _ in names if other != name)
        parts.append(
            f'  - {{gateway: gate, type: subscription, source: {name}, dist_list: "{others}",\n'
            "     filter: \"NOT (subject STARTS WITH '$')\"}\n"
        )
    return "".join(parts)


def _broker(name: str, kind: str, url: str) -> str:
    """Return a broker as text; what the query of its address states becomes keys."""
    bare, access = split_access(url)
    told = {key: value for key, value in asdict(access).items() if value != getattr(OPEN, key)}
    tls = {key: told.pop(key) for key in Tls.__struct_fields__ if key in told}
    keys = [f"kind: {kind}", f"url: {json.dumps(bare)}"]
    keys += [f"{key}: {json.dumps(value)}" for key, value in told.items()]
    if tls:
        files = ", ".join(f"{key}: {json.dumps(value)}" for key, value in tls.items())
        keys.append(f"tls: {{{files}}}")
    hint = SECURE_HINT if split_url(bare).scheme in SECURE and not tls else ""
    return f"  {name}: {{{', '.join(keys)}}}\n{hint}"


def _names(urls: list[str]) -> list[tuple[str, str, str]]:
    """Return name, kind and address of each system."""
    found: list[tuple[str, str, str]] = []
    for url in urls:
        try:
            told = split_url(split_access(url)[0])
        except MalformedError as error:
            raise FesError(str(error)) from error
        kind = KINDS.get(told.scheme)
        if kind is None or not told.hostname:
            known = ", ".join(f"{scheme}://" for scheme in KINDS)
            shown = url.rpartition("@")[2][:200]
            raise FesError(f"{shown!r} is not an address of a known kind ({known})")
        same = sum(other == kind for _, other, _ in found)
        found.append((f"{kind}{same + 1}" if same else kind, kind, url))
    return found
