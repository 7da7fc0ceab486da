"""Every key of the federation file changes what the product makes of it, or is told why not.

A key that is checked, documented and written out, and read by nobody, is found here: a file with
another value must make other processes, gateways, adapters, journals, logs or applications.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import fes_gateway.pack as packs
import fes_gateway.store.opening as stores
import msgspec
import pytest
from fes.adapter.assemble import assemble
from fes.adapter.pool import ConnectionPool
from fes.federation.clock import FederationClock
from fes.federation.load import loads
from fes.federation.model import Federation
from fes.gateway import GatewaySettings
from fes.running.brokers import EmbeddedBrokers
from fes.running.faults import Faults
from fes.running.front import Front
from fes.running.needs import needs_of
from fes.running.plan import Apart, application_parts, gateway_parts, placeholders

Key = tuple[str, ...]

TLS = {"ca_file": "A", "certificate_file": "B", "key_file": "C", "server_name": "d"}

FILE: dict[str, Any] = {
    "version": 1,
    "system": "town",
    "clock": {"start": 100.0, "speed": 2.0, "wall_start_us": 17},
    "media": {"air": {"description": "d"}, "smoke": {}},
    "brokers": {
        "own": {"kind": "nats", "cluster": "one"},
        "far": {"kind": "nats", "url": "nats://a:1", "user": "u", "password_file": "PASSWORD"},
        "safe": {"kind": "nats", "url": "tls://b:1", "tls": TLS},
        "log": {"kind": "kafka", "url": "kafka://c:1", "user": "u", "password_env": "FIRST_WORD"},
    },
    "event_services": {
        "tower": {"kind": "cns", "brokers": ["safe"]},
        "topics": {"kind": "kafka", "brokers": ["log"]},
        "bus": {"kind": "cns", "brokers": ["far"], "settings": {"channel": "west"}},
        "car": {"kind": "memory", "medium": "air"},
        "city": {"kind": "siena", "brokers": ["far"], "settings": {"index": "S"}},
    },
    "gateways": {
        "g": {
            "adapters": {
                "bus": {
                    "mappings": ["m"],
                    "control": {"accept": ["subscription"], "relay": False},
                    "observe": {
                        "subscriptions": "car",
                        "announcements": "car",
                        "lease_s": 60.0,
                        "limit": 10,
                    },
                    "settings": {"mode": "push"},
                },
                "car": {"control": {"accept": [], "relay": False}},
            },
            "http": {"host": "127.0.0.1", "port": 0},
            "store": {
                "kind": "jetstream",
                "url": "nats://j:1",
                "user": "u",
                "password_file": "PASSWORD",
                "copies": 1,
            },
        },
        "h": {"adapters": {"bus": {}, "city": {}}},
        "i": {
            "adapters": {"tower": {}, "topics": {}},
            "store": {"kind": "jetstream", "url": "tls://k:1", "tls": TLS},
        },
    },
    "mappings": {"m": [{"subject": "A"}], "n": [{"subject": "B"}]},
    "requests": [
        {
            "gateway": "g",
            "type": "subscription",
            "source": "car",
            "dist_list": "bus",
            "filter": "a",
        },
        {
            "gateway": "g",
            "type": "announcement",
            "source": "bus",
            "dist_list": "car",
            "event": {"subject": "A", "parameters": {}, "attributes": {}},
        },
    ],
    "applications": {
        "one": {"command": ["sh"]},
        "two": {
            "command": ["sh", "{speed}"],
            "after": ["one"],
            "ready": "http://127.0.0.1:1/",
            "ends_run": True,
            "environment": {"A": "b"},
        },
    },
    "limits": {},
    "event_log": {},
    "http": {"host": "127.0.0.1", "port": 0},
}

WITHOUT_EFFECT = {
    ("version",): "the file has one format so far",
    ("media", "*", "description"): "for people",
    (
        "connections",
        "*",
        "supplier",
    ): "event domains run them; the file has them for `fes validate`",
    ("connections", "*", "consumer"): "likewise",
}

CHANGES: dict[Key, tuple[str, Any]] = {
    ("clock", "start"): ("clock.start", 200.0),
    ("media",): ("media.fog", {}),
    ("brokers", "*", "kind"): ("brokers.own.kind", "mqtt"),
    ("brokers", "*", "cluster"): ("brokers.own.cluster", "two"),
    ("brokers", "*", "url"): ("brokers.far.url", "nats://b:1"),
    ("brokers", "*", "user"): ("brokers.far.user", "v"),
    ("brokers", "*", "password_file"): ("brokers.far.password_file", "OTHER"),
    ("brokers", "*", "password_env"): ("brokers.log.password_env", "SECOND_WORD"),
    ("brokers", "*", "mechanism"): ("brokers.log.mechanism", "SCRAM-SHA-256"),
    ("brokers", "*", "credentials_file"): ("brokers.safe.credentials_file", "OTHER"),
    ("brokers", "*", "token_file"): ("brokers.safe.token_file", "OTHER"),
    **{("brokers", "*", "tls", each): (f"brokers.safe.tls.{each}", "OTHER") for each in TLS},
    ("brokers", "*", "tls", "verify"): ("brokers.safe.tls.verify", False),
    ("event_services", "*", "kind"): ("event_services.car.kind", "steam"),
    ("event_services", "*", "brokers"): ("event_services.city.brokers", ["far", "own"]),
    ("event_services", "*", "medium"): ("event_services.car.medium", "smoke"),
    ("event_services", "*", "settings"): ("event_services.bus.settings.channel", "east"),
    ("gateways", "*", "adapters", "*", "mappings"): ("gateways.g.adapters.bus.mappings", ["n"]),
    ("gateways", "*", "adapters", "*", "control", "accept"): (
        "gateways.g.adapters.bus.control.accept",
        ["announcement"],
    ),
    ("gateways", "*", "adapters", "*", "settings"): (
        "gateways.g.adapters.bus.settings.mode",
        "pull",
    ),
    ("gateways", "*", "adapters", "*", "observe", "subscriptions"): (
        "gateways.g.adapters.bus.observe.subscriptions",
        "city",
    ),
    ("gateways", "*", "adapters", "*", "observe", "announcements"): (
        "gateways.g.adapters.bus.observe.announcements",
        "city",
    ),
    ("gateways", "*", "http", "host"): ("gateways.g.http.host", "127.0.0.2"),
    ("gateways", "*", "store", "kind"): ("gateways.g.store", {"kind": "sqlite"}),
    ("gateways", "*", "store", "url"): ("gateways.g.store.url", "nats://k:1"),
    ("gateways", "*", "store", "password_file"): ("gateways.g.store.password_file", "OTHER"),
    ("gateways", "*", "store", "password_env"): (
        "gateways.g.store",
        {"kind": "jetstream", "url": "nats://j:1", "user": "u", "password_env": "FIRST_WORD"},
    ),
    ("gateways", "*", "store", "credentials_file"): ("gateways.i.store.credentials_file", "OTHER"),
    ("gateways", "*", "store", "token_file"): ("gateways.i.store.token_file", "OTHER"),
    **{
        ("gateways", "*", "store", "tls", each): (f"gateways.i.store.tls.{each}", "OTHER")
        for each in TLS
    },
    ("gateways", "*", "store", "tls", "verify"): ("gateways.i.store.tls.verify", False),
    ("gateways", "*", "store", "copies"): ("gateways.g.store.copies", 3),
    ("mappings",): ("mappings.m", [{"subject": "C"}]),
    ("requests", "*", "gateway"): ("requests.1.gateway", "h"),
    ("requests", "*", "type"): ("requests.0.type", "unsubscription"),
    ("requests", "*", "source"): ("requests.0.source", "city"),
    ("requests", "*", "dist_list"): ("requests.0.dist_list", "city"),
    ("requests", "*", "filter"): ("requests.0.filter", "b"),
    ("requests", "*", "event"): ("requests.1.event.subject", "B"),
    ("applications", "*", "command"): ("applications.two.command", ["sh", "x"]),
    ("applications", "*", "after"): ("applications.two.after", []),
    ("applications", "*", "ready"): ("applications.two.ready", "http://127.0.0.1:2/"),
    ("applications", "*", "ends_run"): ("applications.two.ends_run", False),
    ("applications", "*", "ends_last"): ("applications.two.ends_last", True),
    ("applications", "*", "environment"): ("applications.two.environment.A", "c"),
    ("limits", "hops"): ("limits.hops", 7),
    ("limits", "event_bytes"): ("limits.event_bytes", 1000),
    ("event_log", "sample"): ("event_log.sample", 0.5),
    ("http", "host"): ("http.host", "127.0.0.2"),
}
"""Keys whose other value is not simply one more, or another text: where, and the other value."""

EXAMPLE = {
    "media": "air",
    "brokers": "own",
    "event_services": "bus",
    "gateways": "g",
    "adapters": "bus",
}
"""Which member of a mapping is changed, where `CHANGES` tells no other."""


def keys(kind: Any = Federation, path: Key = ()) -> Iterator[Key]:
    """Yield every key of the file that holds a value; `*` for a name or a place in a list."""
    if get_origin(kind) is Annotated:
        yield from keys(get_args(kind)[0], path)
    elif get_origin(kind) in (Union, UnionType):
        arms = [arm for arm in get_args(kind) if arm not in (msgspec.UnsetType, type(None))]
        yield from keys(arms[0], path) if len(arms) == 1 else [path]
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield from keys(field.type, (*path, field.encode_name))
    elif get_origin(kind) is dict and _holds_sections(get_args(kind)[1]):
        yield from keys(get_args(kind)[1], (*path, "*"))
    elif get_origin(kind) is tuple and _holds_sections(get_args(kind)[0]):
        yield from keys(get_args(kind)[0], (*path, "*"))
    else:
        yield path


def _holds_sections(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def changed(key: Key) -> dict[str, Any]:
    """Return the file with another value of a key."""
    file: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(FILE))
    told = CHANGES.get(key)
    if told is not None:
        _put(file, told[0].split("."), told[1])
        return file
    place = [EXAMPLE[key[at - 1]] if step == "*" else step for at, step in enumerate(key)]
    _put(file, place, _other(_default(key), _get(file, place)))
    return file


def _default(key: Key) -> Any:
    value: Any = loads(msgspec.json.encode(FILE), {})
    for at, step in enumerate(key):
        value = value[EXAMPLE[key[at - 1]]] if step == "*" else getattr(value, step)
    return value


def _get(file: Any, place: list[str]) -> Any:
    for step in place:
        file = file.get(step) if isinstance(file, dict) else None
    return file


def _put(file: Any, place: list[str], value: Any) -> None:
    for step in place[:-1]:
        file = file[int(step)] if isinstance(file, list) else file.setdefault(step, {})
    file[int(place[-1]) if isinstance(file, list) else place[-1]] = value


def _other(default: Any, written: Any) -> Any:
    value = default if written is None else written
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}x"


class Recorded:
    """Stands for what would open a file or a connection: keeps what it is made with."""

    made: list[str]

    def __init__(self, *words: object, **named: object) -> None:
        self.made.append(f"{words} {named}")


def derived(file: dict[str, Any], folder: Path) -> str:
    """Return, as text, all that the product makes of a file."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setenv("FIRST_WORD", "first")
        patched.setenv("SECOND_WORD", "second")
        return _derived(file, folder, patched)


def _derived(file: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    made: list[str] = []
    monkeypatch.setattr(Recorded, "made", made, raising=False)
    for module, name in (
        (stores, "SqliteJournal"),
        (stores, "JetStreamJournal"),
        (packs, "EventLog"),
    ):
        monkeypatch.setattr(module, name, Recorded)
    federation = loads(msgspec.json.encode(file), {})
    apart = Apart.of(federation, (), {})
    text = [str(gateway_parts(federation, apart, folder / "f", folder, folder, folder / "c"))]
    text += [str(application_parts(federation, placeholders(federation, folder, folder)))]
    text += [str(needs_of(federation, name)) for name in federation.applications]
    brokers = EmbeddedBrokers(federation, folder)
    text += [str(server.spec) for server in brokers.servers.values()]
    front = Front(federation, {}, Faults(made.append))
    text += [f"{front.host}:{front.port}", str(FederationClock.of(federation.clock))]
    for name, gateway in federation.gateways.items():
        text.append(str(GatewaySettings.of(federation, name)))
        stores.open_journal(federation, name, folder)
        for service in gateway.adapters:
            text.append(federation.event_services[service].kind)
            try:
                adapter = assemble(
                    federation,
                    name,
                    service,
                    pool=ConnectionPool(),
                    clock=FederationClock(),
                    base=folder,
                )
            except Exception as error:  # noqa: BLE001 - another kind asks for other settings
                text.append(f"refused: {error}")
                continue
            context = adapter.context
            shown = {each: getattr(context, each) for each in SHOWN}
            text.append(f"{shown} {context.mapping.rules}")
    log = federation.event_log
    vars(packs)["EventLog"](
        folder, "p", file_bytes=log.file_bytes, files=log.files, sample=log.sample
    )
    text += [str(packs.control_of(request, federation.system)) for request in federation.requests]
    text += made
    return re.sub(r"(port|mqtt_port|http_port|cluster_port)=\d+|0x[0-9a-f]+", "", "\n".join(text))


SHOWN = (
    *("id", "service", "system", "settings", "brokers", "medium"),
    *("hears_control", "speed", "limits", "base", "observe"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two passwords, where the file is."""
    folder = tmp_path_factory.mktemp("keys")
    (folder / "PASSWORD").write_text("one")
    (folder / "OTHER").write_text("two")
    return folder


@pytest.fixture(scope="module")
def before(folder: Path) -> str:
    """What is made of the file as it is."""
    return derived(FILE, folder)


ELSEWHERE = {"scopes", "clients", "naming", "policy"}
"""Sections that make a graph, which `test_every_scope_key.py` plays a story through, and those of
services that gateways query, which `test_guides.py` and `gateway/test_guide.py` do."""


@pytest.mark.parametrize(
    "key",
    [key for key in keys() if key not in WITHOUT_EFFECT and key[0] not in ELSEWHERE],
    ids=".".join,
)
def test_every_key_changes_what_is_made_of_the_file(key: Key, folder: Path, before: str) -> None:
    assert derived(changed(key), folder) != before


def test_a_key_without_effect_would_be_found(folder: Path, before: str) -> None:
    assert derived(changed(("media", "*", "description")), folder) == before


def test_what_has_no_effect_and_what_is_changed_are_keys_of_the_file() -> None:
    every = set(keys())
    assert len(every) > 60
    assert WITHOUT_EFFECT.keys() | CHANGES.keys() <= every | {("mappings",), ("media",)}
