"""Every key of `scopes` and `clients` changes who receives what, or is told why not.

A story is played through the scopes of a file: with another value of any key somebody receives
something else, or `fes validate` has a finding that it did not have.
"""

from typing import Any

import msgspec
import pytest
from fes.federation import examine
from fes.federation.scopes.build import graph_of
from fes.model import Event, Stamp
from fes.model.text import to_json
from fes.scopes import CompiledRouter, Graph, Outcome, ScopeManager, ScopeState
from support.scopes.audience import Subscribers
from unit.house.test_every_key import keys

SECOND = 1_000_000
SERVICES = ("a", "b", "c1", "c2", "c3", "c4", "c5", "c6", "l", "s", "s2", "t", "w", "z")
XML = {"parameter": "xml", "fields": {"f": {"parameter": "n", "type": "long"}}}


def rules(way: str) -> list[dict[str, Any]]:
    """Return a rule for each step of a mapping, each for a subject of its own."""
    steps: list[dict[str, Any]] = [
        {"rename": {"n": "m"}},
        {"convert": {"n": "string"}},
        {"scale": {"n": {"by": 2.0, "plus": 1.0}}},
        {"set": {"k": "set"}},
        {"drop": ["n"]},
        {"subject": "Other"},
        {
            "gather": {
                "count": 2,
                "key": "k",
                "groups": 1,
                "subject": "Sum",
                "results": {"r": {"of": "n", "how": "sum"}},
            }
        },
        {"from_xml": {**XML, "element": "Q"}},
        {"to_xml": {**XML, "element": f"{way}8"}},
        {"block": True},
    ]
    return [{"when": f"subject = '{way}{at}'", **step} for at, step in enumerate(steps)]


FILE: dict[str, Any] = {
    "version": 1,
    "system": "town",
    "event_services": {name: {"kind": "memory"} for name in SERVICES},
    "gateways": {"g": {"adapters": {name: {} for name in SERVICES}}},
    "clients": {
        "alice": {"service": "s", "principal": "q"},
        "bob": {"service": "s2", "principal": "p"},
        "carl": {"service": "s", "principal": "r"},
    },
    "scopes": {
        "M": {
            "members": {
                **{name: {} for name in ("P", "b", "D", "H", "T", "L", "t")},
                "One": {},
                "Two": {"down": [{"set": {"two": 1}}]},
            }
        },
        "P": {
            "members": {"a": {"up": rules("up")}, "w": {}, "z": {"down": rules("down")}},
            "publishing": {"choose": {"M": "n > 0"}},
        },
        "D": {"members": {"c1": {}, "c2": {}}, "delivery": {"to": "turns"}},
        "H": {"members": {"c3": {}, "c4": {}}, "delivery": {"to": "hash", "key": "k"}},
        "T": {"members": {"c5": {}, "U": {}}, "traverse": "top-down"},
        "U": {"members": {"c6": {}}},
        "L": {
            "members": {"l": {}},
            "publishing": {"which": "subject = 'late'", "delay_s": 10.0, "waiting": 2},
        },
        "One": {"members": {"bob": {}}},
        "Two": {"members": {"bob": {}}},
        "S1": {"session": True, "members": {"alice": {}}},
        "S2": {"session": True, "members": {"alice": {}, "t": {}}},
    },
}

RULES_AT = {
    "when": (0, "subject = 'x'"),
    "rename": (0, {"n": "o"}),
    "convert": (1, {"n": "double"}),
    "scale.*.by": (2, 3.0),
    "scale.*.plus": (2, 2.0),
    "set": (3, {"k": "other"}),
    "drop": (4, ["k"]),
    "subject": (5, "Another"),
    "gather.count": (6, 3),
    "gather.key": (6, ""),
    "gather.groups": (6, 2),
    "gather.subject": (6, "Result"),
    "gather.results.*.of": (6, "j"),
    "gather.results.*.how": (6, "max"),
    "from_xml.parameter": (7, "k"),
    "from_xml.element": (7, "R"),
    "from_xml.fields.*.parameter": (7, "m"),
    "from_xml.fields.*.type": (7, "string"),
    "to_xml.parameter": (8, "text"),
    "to_xml.element": (8, "R"),
    "to_xml.fields.*.parameter": (8, "k"),
    "to_xml.fields.*.type": (8, "string"),
    "block": (9, False),
    "plugin": (0, "none"),
}
"""By key of a rule: the rule that is changed, and the other value."""

NAMES = {"scale": "n", "results": "r", "fields": "f"}


def steps(key: str) -> list[tuple[str, str]]:
    """Return the steps of a key, each with the one before it."""
    words = key.split(".")
    return list(zip(["", *words], words, strict=False))


CHANGES: dict[str, tuple[str, Any]] = {
    "clients.*.service": ("clients.alice.service", "b"),
    "clients.*.principal": ("clients.alice.principal", "r"),
    "clients.*.carries_context": ("clients.alice.carries_context", False),
    "clients.*.each_path": ("clients.bob.each_path", True),
    "scopes.*.members.*.input": ("scopes.M.members.b.input", []),
    "scopes.*.members.*.output": ("scopes.M.members.b.output", []),
    "scopes.*.members.*.produces": ("scopes.M.members.b.produces", False),
    "scopes.*.members.*.consumes": ("scopes.M.members.b.consumes", False),
    "scopes.*.input": ("scopes.P.input", []),
    "scopes.*.output": ("scopes.P.output", []),
    "scopes.*.delivery.to": ("scopes.D.delivery.to", "all"),
    "scopes.*.delivery.key": ("scopes.H.delivery.key", ""),
    "scopes.*.delivery.plugin": ("scopes.D.delivery.plugin", "none"),
    "scopes.*.traverse": ("scopes.T.traverse", "broadcast"),
    "scopes.*.publishing.choose": ("scopes.P.publishing.choose.M", "n > 3"),
    "scopes.*.publishing.which": ("scopes.L.publishing.which", "subject = 'x'"),
    "scopes.*.publishing.delay_s": ("scopes.L.publishing.delay_s", 4.0),
    "scopes.*.publishing.until": ("scopes.L.publishing.until", "n = 2"),
    "scopes.*.publishing.waiting": ("scopes.L.publishing.waiting", 3),
    "scopes.*.publishing.overflow": ("scopes.L.publishing.overflow", "drop-newest"),
    "scopes.*.publishing.at_end": ("scopes.L.publishing.at_end", "drop"),
    "scopes.*.session": ("scopes.S2.session", False),
    "scopes.*.join.producers": ("scopes.D.join.producers", ["c1"]),
    "scopes.*.join.consumers": ("scopes.D.join.consumers", ["c1"]),
    **{
        f"scopes.*.members.*.{way}.*.{key}": (
            f"scopes.P.members.{member}.{way}.{at}."
            + ".".join(NAMES[before] if step == "*" else step for before, step in steps(key)),
            value,
        )
        for way, member in (("up", "a"), ("down", "z"))
        for key, (at, value) in RULES_AT.items()
    },
}
"""By key: where it is changed, and the other value."""

WITHOUT_EFFECT = {
    "scopes.*.members.*.up.*.to_xml.fields.*.type": "a document is text; `from_xml` reads by it",
    "scopes.*.members.*.down.*.to_xml.fields.*.type": "likewise",
}


class Story:
    """Plays events through scopes, and keeps who receives what."""

    def __init__(self, graph: Graph) -> None:
        self.lines: list[str] = []
        self._now_us = SECOND
        self._number = 0
        self._graph = graph
        audience = Subscribers()
        for name in SERVICES:
            audience.subscribe(name, "")
        self._manager = ScopeManager(graph, CompiledRouter(graph), audience, ScopeState())

    def play(self) -> str:
        """Return who received what, in lines."""
        for way, publisher in (("up", "a"), ("down", "w")):
            for at in range(len(rules(way))):
                self.publish(publisher, f"{way}{at}", n=3, k="x", j=9, xml='<Q f="3"/>')
            for k, n in (("x", 4), ("x", 4), ("y", 5), ("x", 6)):
                self.publish(publisher, f"{way}6", n=n, k=k, j=9)
        for at in range(8):
            self.publish("b", "E", n=at, k=f"key {at}")
        self.publish("s", "E")
        self.publish("t", "E")
        for at in range(3):
            self.publish("l", "late", n=at)
        for _ in range(3):
            self.tick(5)
        self.publish("l", "late", n=9)
        self.note("end", self._manager.end("L", self._now_us))
        return "\n".join(self.lines)

    def publish(self, publisher: str, subject: str, **parameters: Any) -> None:
        self._number += 1
        stamp = Stamp(publisher, 1, self._number, self._now_us, publisher)
        event = Event.of(subject, **parameters)
        outcome = self._manager.publish(publisher, event, stamp, self._now_us)
        self.note(f"{publisher} {subject}", outcome)

    def tick(self, seconds: int) -> None:
        self._now_us += seconds * SECOND
        self.note(f"tick {self._now_us}", self._manager.tick(self._now_us))

    def note(self, what: str, outcome: Outcome) -> None:
        for each in outcome.deliveries:
            self.lines.append(f"{what}: {each.consumer} {to_json(each.event)} {each.session}")


def derived(file: dict[str, Any]) -> str:
    """Return, as text, the findings, and who receives what."""
    document = examine(msgspec.json.encode(file), "f", {})
    found = [f"{each.severity} {each.key}: {each.message}" for each in document.findings]
    if document.federation is None or any(line.startswith("error") for line in found):
        return "\n".join(found)
    return "\n".join([*found, Story(graph_of(document.federation)).play()])


def changed(key: str) -> dict[str, Any]:
    """Return the file with another value of a key."""
    file: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(FILE))
    place, value = CHANGES[key]
    part: Any = file
    *path, last = place.split(".")
    for step in path:
        part = part[int(step)] if isinstance(part, list) else part.setdefault(step, {})
    part[last] = value
    return file


EVERY = [".".join(key) for key in keys() if key[0] in ("scopes", "clients")]


@pytest.fixture(scope="module")
def before() -> str:
    """What is made of the file as it is."""
    return derived(FILE)


def test_the_file_is_good_and_everybody_receives(before: str) -> None:
    assert "error" not in before
    for name in ("a", "b", "c1", "c5", "w", "z", "s", "s2", "t"):
        assert f": {name} " in before


@pytest.mark.parametrize("key", [key for key in EVERY if key not in WITHOUT_EFFECT])
def test_every_key_of_scopes_changes_who_receives_what(key: str, before: str) -> None:
    assert derived(changed(key)) != before


@pytest.mark.parametrize("key", WITHOUT_EFFECT)
def test_a_key_of_scopes_without_effect_would_be_found(key: str, before: str) -> None:
    assert derived(changed(key)) == before


def test_what_is_changed_are_keys_of_the_file() -> None:
    assert len(EVERY) > 60
    assert set(EVERY) == CHANGES.keys()
    assert WITHOUT_EFFECT.keys() <= set(EVERY)
