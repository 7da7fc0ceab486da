"""What an application waits for, and what is told of parts that are not ready."""

from typing import Any

import msgspec
from fes.federation.load import loads
from fes.running.faults import NOTICE_S, Faults
from fes.running.needs import needs_of, works

FILE: dict[str, Any] = {
    "version": 1,
    "system": "t",
    "brokers": {"near": {"kind": "nats"}, "cloud": {"kind": "nats", "url": "nats://a:1"}},
    "event_services": {
        "a": {"kind": "cns", "brokers": ["near"], "settings": {"channel": "a"}},
        "b": {"kind": "siena", "brokers": ["near"], "settings": {"index": "S"}},
        "c": {"kind": "siena", "brokers": ["cloud"], "settings": {"index": "S"}},
    },
    "gateways": {"g": {"adapters": {"a": {}, "b": {}}}, "up": {"adapters": {"b": {}, "c": {}}}},
    "applications": {
        "first": {"command": ["x", "{url:near}"]},
        "cloudy": {"command": ["x", "{url:cloud}"], "after": ["first"]},
        "named": {"command": ["x", "{url:cloud}"], "after": ["first", "g"]},
        "unknown": {"command": ["x"]},
    },
}
FEDERATION = loads(msgspec.json.encode(FILE), {})


def test_an_application_needs_the_adapters_at_the_services_of_its_brokers() -> None:
    needs = needs_of(FEDERATION, "first")
    assert needs.certain
    assert needs.parts == {"g", "g.a", "g.b", "up", "up.b"}
    assert "up.c" in needs_of(FEDERATION, "cloudy").parts


def test_gateways_that_it_names_go_before_brokers() -> None:
    needs = needs_of(FEDERATION, "named")
    assert needs.applications == ("first",)
    assert needs.parts == {"g", "g.a", "g.b"}


def test_one_of_which_nobody_knows_waits_for_all() -> None:
    needs = needs_of(FEDERATION, "unknown")
    assert not needs.certain
    assert len(needs.parts) == 6


def test_something_works_where_a_gateway_joins_two_adapters() -> None:
    assert works(FEDERATION, {"up.c"})
    assert works(FEDERATION, {"g"})
    assert not works(FEDERATION, {"up.c", "g.a"})
    assert not works(FEDERATION, {"up", "g"})


def test_a_fault_is_told_once_it_lasts_and_once_it_is_over() -> None:
    said: list[str] = []
    now = [0.0]
    faults = Faults(said.append, lambda: now[0])
    for at in (0.0, NOTICE_S / 2, NOTICE_S, NOTICE_S + 1):
        now[0] = at
        faults.put({"up.c": "no\nanswer"}, {"up.c": "logs/x.log"})
    now[0] = 84.0
    faults.put({}, {})
    assert said == [
        "not ready: up.c, for 10 s: no answer; see logs/x.log; it is tried again",
        "ready: up.c, after 84 s",
    ]
