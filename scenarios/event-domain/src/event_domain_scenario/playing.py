"""Plays the scenario: the domain that authorises everything, and the one that forbids."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eventservices.servers import NatsServer, ServerSpec
from serving.ending import run_until_asked

from event_domain_scenario.clients import play
from event_domain_scenario.service import Service
from event_domain_scenario.story import (
    CHANNELS,
    CYCLE,
    DEFAULT_SUPPLIER,
    DIAMOND,
    EDGES,
    expected,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be so.

    Attributes:
        what: It, in words.
        expected: What must come of it.
        seen: What came.
    """

    what: str
    expected: Any
    seen: Any

    @property
    def good(self) -> bool:
        """Whether what came is what must come."""
        return bool(self.expected == self.seen)


def run(folder: Path, events: int, bound: int) -> list[Check]:
    """Play the scenario and return what was checked.

    Args:
        folder: For the journal, logs and the picture.
        events: Events of each supplier.
        bound: Connections that an event passes in a cycle.

    Raises:
        ScenarioError: It cannot be played.
    """
    checks: list[Check] = []
    spec = ServerSpec("event-domain", folder / "broker")
    spec.folder.mkdir(exist_ok=True)
    with NatsServer(spec) as broker, Service(folder, bound) as service:
        for repetitions in (True, False):
            domain = _figure(service, broker.url, repetitions=repetitions)
            checks += _deliveries(
                service, broker.url, domain, events, bound, repetitions=repetitions
            )
        checks += _listed(service, 0)
        (folder / "domain.svg").write_text(service.done("GET", "/0/picture.svg"), "utf-8")
        checks += _refusals(service, broker.url)
    return checks


def _make(service: Service, broker: str, name: str, qos: dict[str, int]) -> int:
    domain: int = service.done("POST", "", {"qos": qos})["id"]
    for number in range(CHANNELS):
        body = {"broker": broker, "channel": f"{name}-{number}"}
        service.done("POST", f"/{domain}/channels", body)
    return domain


def _connection(supplier: int, consumer: int) -> dict[str, Any]:
    return {"supplier_id": supplier, "consumer_id": consumer, "notification_style": "Pull"}


def _figure(service: Service, broker: str, *, repetitions: bool) -> int:
    name = "with-repetitions" if repetitions else "without-repetitions"
    domain = _make(service, broker, name, {"CycleDetection": 0, "DiamondDetection": 0})
    for edge in EDGES:
        service.done("POST", f"/{domain}/connections", _connection(*edge))
    service.done("PATCH", f"/{domain}/defaults", {"supplier_channel": DEFAULT_SUPPLIER})
    return domain


def _deliveries(
    service: Service, broker: str, domain: int, events: int, bound: int, *, repetitions: bool
) -> list[Check]:
    wanted = expected(events, bound, repetitions=repetitions)

    def channel_of(role: str, member: int | None) -> str:
        body = {"role": role, "member_id": member}
        return str(service.done("POST", f"/{domain}/clients", body)["channel"])

    def over(counts: dict[int, Counter[str]]) -> bool:
        connections = service.done("GET", f"/{domain}/connections")
        ended = sum(each["counters"]["went_round"] for each in connections)
        came = all(counts[each].total() >= wanted[each].total() for each in wanted)
        return bool(ended >= events and came)

    playing = play(broker, channel_of, events, over, repetitions=repetitions)
    seen = run_until_asked(playing)
    asking = "requests repetitions" if repetitions else "does not request repetitions"
    return [
        Check(f"consumer {each}, which {asking}", dict(wanted[each]), dict(seen[each]))
        for each in wanted
    ]


def _listed(service: Service, domain: int) -> list[Check]:
    cycles = service.done("GET", f"/{domain}/cycles")
    diamonds = service.done("GET", f"/{domain}/diamonds")
    return [
        Check("the cycle is listed", [CYCLE], cycles["cycles"]),
        Check("the diamond is listed", [DIAMOND], diamonds["diamonds"]),
    ]


def _refusals(service: Service, broker: str) -> list[Check]:
    """Build the same where both are forbidden; each offending connection is refused."""
    domain = _make(service, broker, "forbidding", {"CycleDetection": 1, "DiamondDetection": 1})
    refused: dict[tuple[int, int], Any] = {}
    for edge in EDGES:
        status, answer = service.request("POST", f"/{domain}/connections", _connection(*edge))
        if status != 201:
            refused[edge] = (answer["error"], answer["data"])
    wanted = {
        (1, 0): ("DiamondCreationForbidden", {"diam": [DIAMOND], "more": False}),
        (5, 4): ("CycleCreationForbidden", {"cyc": CYCLE}),
    }
    return [Check("what closes the diamond and the cycle is refused", wanted, refused)]
