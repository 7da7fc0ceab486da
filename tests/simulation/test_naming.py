"""Naming servers in random trees, with failures and races, answer nothing that is not so."""

import heapq
import os
import random
from typing import Any

import pytest
from eventservices.bus.wire.naming import AddName, Lookup, RemoveName, Result
from fes_naming.core import Forward, NameServer, NamingSettings, NewSource, Reply
from fes_naming.links import Links

TREES = int(os.environ.get("FES_TREES", "150"))
SECOND = 1_000_000
START_US = 1_000_000_000_000_000


class Tree:
    """Servers in a tree of domains, on a network with delays, some of which die."""

    def __init__(self, seed: int, settings: NamingSettings | None = None) -> None:
        self.random = random.Random(seed)
        self.settings = settings or NamingSettings()
        self.now_us = START_US
        domains = ["."]
        for number in range(self.random.randint(2, 12)):
            above = self.random.choice(domains)
            domains.append(f"d{number}." if above == "." else f"{above}d{number}.")
        self.rows: dict[str, dict[str, bytes]] = {domain: {} for domain in domains}
        self.links = {domain: self._links(domain, domains) for domain in domains}
        self.servers: dict[str, NameServer] = {}
        for domain in domains:
            self.start(domain)
        self.answers: dict[str, tuple[int, Result]] = {}
        self.announced: list[tuple[int, str, str]] = []
        self._queue: list[tuple[int, int, tuple[Any, ...]]] = []
        self._serial = 0

    def _links(self, domain: str, domains: list[str]) -> Links:
        others = {}
        for other in domains:
            above = other[: other.rstrip(".").rfind(".") + 1] or "."
            below = domain[: domain.rstrip(".").rfind(".") + 1] or "."
            is_near = other != domain and (above == domain or other == below)
            if is_near or (other != domain and self.random.random() < 0.1):
                others[other] = other
        return Links(domain, others)

    def start(self, domain: str) -> None:
        rows = self.rows[domain]
        self.servers[domain] = NameServer(self.links[domain], self.settings, rows, self.now_us)

    def ask(self, domain: str, query: object) -> str:
        self._serial += 1
        asker = f"q{self._serial}"
        self._later("ask", domain, asker, query)
        return asker

    def _later(self, *what: Any) -> None:
        self._serial += 1
        at_us = self.now_us + self.random.randint(100, 20_000)
        heapq.heappush(self._queue, (at_us, self._serial, what))

    def run(self, seconds: float) -> None:
        end_us = self.now_us + int(seconds * SECOND)
        while self.now_us < end_us:
            self.now_us += 50_000
            while self._queue and self._queue[0][0] <= self.now_us:
                self._perform(heapq.heappop(self._queue)[2])
            for domain, server in list(self.servers.items()):
                server.tick(self.now_us)
                self._settle(domain)

    def _perform(self, what: tuple[Any, ...]) -> None:
        match what:
            case "ask", domain, asker, query if domain in self.servers:
                self.servers[domain].handle(asker, query, self.now_us)
                self._settle(domain)
            case "answer", domain, ticket, result if domain in self.servers:
                self.servers[domain].answered(ticket, result, self.now_us)
                self._settle(domain)
            case "late", due_us, domain, ticket if due_us > self.now_us:
                heapq.heappush(self._queue, (due_us, self._serial, what))
            case "late", _, domain, ticket if domain in self.servers:
                self.servers[domain].answered(ticket, None, self.now_us)
                self._settle(domain)

    def _settle(self, domain: str) -> None:
        step = self.servers[domain].take()
        for key, value in step.rows.items():
            if value is None:
                self.rows[domain].pop(key, None)
            else:
                self.rows[domain][key] = value
        for output in step.outputs:
            match output:
                case Reply(asker, result) if "/" in asker:
                    other, _, ticket = asker.rpartition("/")
                    self._later("answer", other, int(ticket), result)
                case Reply(asker, result):
                    self.answers[asker] = (self.now_us, result)
                case Forward(ticket, server, query, timeout_us):
                    self._later("ask", server, f"{domain}/{ticket}", query)
                    self._serial += 1
                    due_us = self.now_us + timeout_us
                    late = ("late", due_us, domain, ticket)
                    heapq.heappush(self._queue, (due_us, self._serial, late))
                case NewSource(name, bus):
                    self.announced.append((self.now_us, name, bus))


class Ledger:
    """When a source was there, as its bus knows it."""

    def __init__(self) -> None:
        self.spans: dict[tuple[str, str], list[list[int]]] = {}

    def begin(self, name: str, bus: str, now_us: int) -> None:
        self.spans.setdefault((name, bus), []).append([now_us, 1 << 62])

    def end(self, name: str, bus: str, now_us: int) -> None:
        self.spans[name, bus][-1][1] = now_us

    def was_there(self, name: str, bus: str, since_us: int, until_us: int) -> bool:
        spans = self.spans.get((name, bus), ())
        return any(begun <= until_us and ended >= since_us for begun, ended in spans)

    def throughout(self, name: str, since_us: int, until_us: int) -> set[str]:
        return {
            bus
            for (other, bus), spans in self.spans.items()
            if other == name
            and any(begun <= since_us and ended >= until_us for begun, ended in spans)
        }


class Subscriber:
    """Does what a bus does: watches for new sources, looks up, and looks up again."""

    def __init__(self, tree: Tree, name: str, domain: str) -> None:
        self.tree, self.name, self.domain = tree, name, domain
        self.since_us = tree.now_us
        self.known: set[str] = set()
        self._asked = tree.ask(domain, Lookup(name))
        self._asked_us = tree.now_us
        self._again_us = 0
        self._announced = 0

    def look(self) -> None:
        tree = self.tree
        for at_us, name, bus in tree.announced[self._announced :]:
            if name == self.name and at_us >= self.since_us:
                self.known.add(bus)
        self._announced = len(tree.announced)
        if self._asked and self._asked in tree.answers:
            at_us, result = tree.answers[self._asked]
            self._asked = ""
            self.known |= set(result.buses)
            if result.state != "known":
                self._again_us = at_us + 2 * SECOND
            elif result.cached:
                self._again_us = at_us + result.lifetime_us
        elif self._asked and tree.now_us - self._asked_us > 3 * SECOND:
            self._asked, self._again_us = "", tree.now_us + 2 * SECOND
        elif self._again_us and tree.now_us >= self._again_us:
            self._again_us = 0
            self._asked, self._asked_us = tree.ask(self.domain, Lookup(self.name)), tree.now_us


@pytest.mark.parametrize("first", range(0, TREES, 25))
@pytest.mark.timeout(0)
def test_no_answer_outlives_its_lifetime_and_no_live_source_is_missed(first: int) -> None:
    for seed in range(first, min(first + 25, TREES)):
        assert play(seed) == [], seed


class Play:
    """A random tree, what happened in it, and who looks."""

    def __init__(self, seed: int) -> None:
        self.tree, self.ledger = Tree(seed), Ledger()
        self.domains = list(self.tree.servers)
        draw = self.tree.random
        self.names = [f"{draw.choice(self.domains)}n{n}".lstrip(".") for n in range(6)]
        self.asked: dict[str, tuple[str, int]] = {}
        self.subscribers: list[Subscriber] = []
        self.present: set[tuple[str, str]] = set()

    def act(self) -> None:
        tree, draw = self.tree, self.tree.random
        name, dice = draw.choice(self.names), draw.random()
        if dice < 0.4:
            self._change(name, f"b{draw.randrange(3)}", adds=dice < 0.3)
        elif dice < 0.45 and len(tree.servers) > 2:
            del tree.servers[draw.choice(list(tree.servers))]
        elif dice < 0.55:
            self._start([each for each in self.domains if each not in tree.servers][:1])
        elif dice < 0.65:
            server = draw.choice(list(tree.servers))
            self.subscribers.append(Subscriber(tree, name, server))
        else:
            self.asked[tree.ask(draw.choice(self.domains), Lookup(name))] = (name, tree.now_us)

    def _change(self, name: str, bus: str, *, adds: bool) -> None:
        tree, at = self.tree, self.tree.random.choice(self.domains)
        if adds and (name, bus) not in self.present:
            self.present.add((name, bus))
            self.ledger.begin(name, bus, tree.now_us)
            tree.ask(at, AddName(name, bus, tree.now_us))
        elif not adds and (name, bus) in self.present:
            self.present.discard((name, bus))
            self.ledger.end(name, bus, tree.now_us)
            tree.ask(at, RemoveName(name, bus, tree.now_us))

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.tree.run(0.05)
            for each in self.subscribers:
                each.look()

    def _start(self, domains: list[str]) -> None:
        for domain in domains:
            self.tree.start(domain)

    def end(self) -> None:
        """Start all servers, and have the buses renew their names."""
        self._start([each for each in self.domains if each not in self.tree.servers])
        for name, bus in sorted(self.present):
            at = self.tree.random.choice(self.domains)
            self.tree.ask(at, AddName(name, bus, self.tree.now_us))
        self.run(400)


def play(seed: int) -> list[str]:
    """Return what was wrong in a random tree."""
    play = Play(seed)
    for _ in range(60):
        play.act()
        play.run(play.tree.random.choice((1, 5, 40)))
    play.end()
    return judge(play.tree, play.ledger, play.asked, play.subscribers)


def judge(
    tree: Tree, ledger: Ledger, asked: dict[str, tuple[str, int]], subscribers: list[Subscriber]
) -> list[str]:
    wrongs = []
    # An answer is as old as its lifetime at most, and who ended without a word as old as a lease.
    slack_us = tree.settings.lifetime_us + tree.settings.lease_us + 5 * SECOND
    for asker, (name, at_us) in asked.items():
        if asker not in tree.answers:
            continue
        done_us, result = tree.answers[asker]
        wrongs += [
            f"{asker}: {bus} was no source of {name} for long"
            for bus in result.buses
            if not ledger.was_there(name, bus, at_us - slack_us, done_us)
        ]
    for each in subscribers:
        live = ledger.throughout(each.name, tree.now_us - 10 * SECOND, tree.now_us)
        wrongs += [f"{each.name}: {bus} is missed" for bus in sorted(live - each.known)]
    return wrongs


def test_unknown_now_is_never_no_source() -> None:
    tree = Tree(3)
    links = {".": Links(".", {"a.": "a."}), "a.": Links("a.", {".": "."})}
    tree.links, tree.rows = links, {".": {}, "a.": {}}
    tree.servers = {}
    for domain in links:
        tree.start(domain)
    tree.run(0.1)
    added = tree.ask("a.", AddName("a.x", "b", 1))
    tree.run(0.2)
    assert tree.answers[added][1].state == "known"
    del tree.servers["a."]
    asked = tree.ask(".", Lookup("a.x"))
    tree.run(3)
    result = tree.answers[asked][1]
    assert (result.state, result.buses) == ("unknown", ())
    tree.start("a.")
    tree.run(2)
    asked = tree.ask(".", Lookup("a.x"))
    tree.run(1)
    assert tree.answers[asked][1].buses == ("b",)


def test_an_addition_to_a_dead_server_is_tried_again() -> None:
    tree = Tree(3)
    tree.links = {".": Links(".", {"a.": "a."}), "a.": Links("a.", {".": "."})}
    tree.rows, tree.servers = {".": {}, "a.": {}}, {}
    tree.start(".")
    added = tree.ask(".", AddName("a.x", "b", 1))
    tree.run(3)
    assert tree.answers[added][1].state == "pending"
    tree.start("a.")
    tree.run(3)
    assert ("a.x", "b") in [(name, bus) for _, name, bus in tree.announced]
    assert tree.servers["."].counters["pending"] == 0


def test_a_cache_that_never_ends_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cached(self: NameServer, name: str, now_us: int) -> Result | None:
        found = self._cache.get(name)
        return found and Result("known", found[0], 1, cached=False)

    monkeypatch.setattr(NameServer, "_cached", cached)
    assert any(play(seed) for seed in range(60))


def two_servers(**settings: int) -> Tree:
    """Return the root and one below it, which is not started."""
    tree = Tree(3, NamingSettings(**settings))
    tree.links = {".": Links(".", {"a.": "a."}), "a.": Links("a.", {".": "."})}
    tree.rows, tree.servers = {".": {}, "a.": {}}, {}
    tree.start(".")
    return tree


def answer(tree: Tree, domain: str, name: str) -> Result:
    asked = tree.ask(domain, Lookup(name))
    tree.run(0.2)
    return tree.answers[asked][1]


def test_the_name_of_a_crashed_bus_ends_with_its_lease_and_not_before() -> None:
    tree = two_servers()
    tree.start("a.")
    tree.ask("a.", AddName("a.x", "b", 1))
    tree.run(0.05)
    added_us, lease_s = tree.now_us, tree.settings.lease_us / 1e6
    tree.run(lease_s - 0.4)
    assert answer(tree, "a.", "a.x").buses == ("b",)
    tree.run(0.2)
    assert tree.now_us - added_us <= tree.settings.lease_us
    tree.run(0.1)
    assert answer(tree, "a.", "a.x").buses == ()
    tree.run(tree.settings.retry_us / 1e6)
    counters = tree.servers["a."].counters
    assert (counters["leases_ended"], counters["names"], counters["sources"]) == (1, 0, 0)
    assert not tree.rows["a."]


def test_a_bus_that_crashed_while_its_name_was_pending_gets_no_name_when_its_lease_is_over() -> (
    None
):
    tree = two_servers()
    for number in range(3):
        tree.ask(".", AddName(f"a.x{number}", "b", 1))
    tree.ask(".", RemoveName("a.y", "b", 1))
    tree.run(tree.settings.lease_us / 1e6 - 1)
    assert tree.servers["."].counters["pending"] > 0
    tree.run(1 + (2 * tree.settings.forward_us + 2 * tree.settings.retry_us) / 1e6)
    counters = tree.servers["."].counters
    assert (counters["pending"], counters["pending_ended"]) == (0, 4)
    tree.start("a.")
    tree.run(5)
    assert not tree.announced
    assert not tree.rows["a."]


def test_a_name_that_its_bus_renews_is_pending_as_long_as_its_server_is_away() -> None:
    tree = two_servers()
    for second in range(100):
        tree.ask(".", AddName("a.x", "b", second + 1))
        tree.run(1)
    tree.start("a.")
    tree.run(4)
    assert [name for _, name, _ in tree.announced] == ["a.x"]


def test_a_bus_whose_clock_was_set_back_is_found_again_after_two_leases() -> None:
    tree = two_servers()
    tree.start("a.")
    tree.ask("a.", AddName("a.x", "b", 1_000_000))
    tree.run(0.1)
    for _ in range(2 * tree.settings.lease_us // SECOND + 2):
        tree.ask("a.", AddName("a.x", "b", 5))
        tree.run(1)
    assert answer(tree, "a.", "a.x").buses == ("b",)
    assert tree.servers["a."].counters["outdated"] > 0


def test_a_copy_that_nobody_requests_any_more_ends_with_two_lifetimes() -> None:
    tree = two_servers()
    tree.start("a.")
    for number in range(5):
        tree.ask("a.", AddName(f"a.x{number}", "b", 1))
        tree.run(0.1)
        assert answer(tree, ".", f"a.x{number}").buses == ("b",)
    assert tree.servers["."].counters["cached"] == 5
    tree.run(2 * tree.settings.lifetime_us / 1e6)
    assert tree.servers["."].counters["cached"] == 0


def test_what_is_known_of_the_times_of_requests_ends_too() -> None:
    tree = two_servers(lease_us=5 * SECOND)
    tree.start("a.")
    for number in range(5):
        tree.ask("a.", AddName(f"a.x{number}", "b", 1))
    tree.run(2)
    assert len(tree.servers["a."]._newest) == 5
    tree.run(10)
    server = tree.servers["a."]
    assert not server._newest
    assert not server._leases
