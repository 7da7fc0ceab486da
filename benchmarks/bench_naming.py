"""The naming service: look-ups among 100,000 names at 50 servers, three of them killed.

All servers are in one process, each with its own connection, so that an answer crosses the broker
at every hop.
"""

import asyncio
import random
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from eventservices.bus import BusClient, BusOptions, BusSettings, EventBus, LocalTransport
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.wire.naming import AddName, Lookup
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes_naming.core import NamingSettings
from fes_naming.links import Links
from fes_naming.server import NamingServer
from report import keep
from serving.clocks import steady_us

SERVERS, NAMES, KILLED, LOOKUPS, AT_ONCE, BUSES = 50, 100_000, 3, 5_000, 1, 10
BUILDING = "bench"
LASTING = NamingSettings(lease_us=24 * 3600 * 1_000_000)
"""No bus renews the names here, and a busy machine may need longer than their lease."""


def tree(draw: random.Random) -> dict[str, Links]:
    """Return servers in a tree, by domain; each is named by its domain without dots."""
    domains = ["."]
    while len(domains) < SERVERS:
        above = draw.choice(domains[-15:])
        domains.append(f"{'' if above == '.' else above}d{len(domains)}.")
    found = {}
    for domain in domains:
        above = domain[: domain.rstrip(".").rfind(".") + 1] or "."
        others = {above: host(above)} if domain != "." else {}
        for other in domains:
            parent = other[: other.rstrip(".").rfind(".") + 1] or "."
            if parent == domain and other not in (domain, "."):
                others[other] = host(other)
        found[domain] = Links(domain, others)
    return found


def host(domain: str) -> str:
    """Return the name of a domain's server."""
    return "root" if domain == "." else domain.replace(".", "")


async def measure() -> dict[str, object]:
    """Return what was measured and verified."""
    draw = random.Random(1)
    links = tree(draw)
    with NatsServer(ServerSpec("naming", Path(tempfile.mkdtemp()))) as broker:
        async with AsyncExitStack() as stack:
            servers = {}
            for domain, own in links.items():
                server = NamingServer([broker.url], BUILDING, host(domain), own, settings=LASTING)
                servers[domain] = await stack.enter_async_context(server)
            link = await stack.enter_async_context(NatsLink([broker.url]))
            return await _measured(draw, broker.url, stack, link, servers)


async def _measured(
    draw: random.Random,
    url: str,
    stack: AsyncExitStack,
    link: NatsLink,
    servers: dict[str, NamingServer],
) -> dict[str, object]:
    domains = list(servers)
    names = [f"{draw.choice(domains)}n{number}".lstrip(".") for number in range(NAMES)]
    begun = time.monotonic()
    for name in names:
        # Added at the server that keeps them: what is measured is looking up.
        servers[domain_of(name)].core.handle("", AddName(name, "bus", 1), steady_us())
    for server in servers.values():
        server.core.take()
    added_s = time.monotonic() - begun
    new_source_s = await _new_source(draw, url, stack, link, domains)
    dead = draw.sample(domains[1:], KILLED)
    for domain in dead:
        await servers[domain].close()
    living = [each for each in domains if each not in dead]
    clients = {each: NamingClient(link, BUILDING, [host(each)]) for each in living}
    took: list[float] = []
    wrong = unknown = misled = 0
    gate = asyncio.Semaphore(AT_ONCE)

    async def ask(name: str) -> None:
        nonlocal wrong, unknown, misled
        async with gate:
            at = time.perf_counter()
            asked = draw.choice(living)
            result = await clients[asked].ask(Lookup(name))
            lasted = time.perf_counter() - at
        if result is not None and result.state == "known":
            took.append(lasted)
            wrong += result.buses != ("bus",)
            misled += result.buses != ("bus",)
        else:
            unknown += 1
            wrong += not cut_off(name, asked, dead)

    await asyncio.gather(*(ask(name) for name in draw.choices(names, k=LOOKUPS)))
    ordered = sorted(took)
    return {
        "servers": SERVERS,
        "names": NAMES,
        "killed": KILLED,
        "adding_s": round(added_s, 1),
        "lookups": LOOKUPS,
        "answered": len(ordered),
        "unknown_now": unknown,
        "wrong": wrong,
        "no_source_where_one_is": misled,
        "median_ms": round(1000 * statistics.median(ordered), 2),
        "p99_ms": round(1000 * ordered[int(0.99 * len(ordered))], 2),
        "new_source_at_all_interested_s": round(new_source_s, 3),
    }


async def _new_source(
    draw: random.Random, url: str, stack: AsyncExitStack, link: NatsLink, domains: list[str]
) -> float:
    """Return how long a new source takes to have the subscriptions of all interested buses."""
    clients = []
    for number in range(BUSES + 1):
        naming = NamingClient(link, BUILDING, [host(draw.choice(domains))])
        options = BusOptions(BusSettings(naming=True), naming=naming)
        bus = await stack.enter_async_context(EventBus([url], BUILDING, f"b{number}", options))
        client = BusClient(LocalTransport(bus, "client"))
        clients.append((bus, await stack.enter_async_context(client)))
    name = f"{domains[-1]}fresh"
    for _, client in clients[1:]:
        await client.subscribe(name, print)
    begun = time.perf_counter()
    bus, client = clients[0]
    await client.advertise(name)
    while bus.counters["remote_sinks"] < BUSES:
        await asyncio.sleep(0.002)
    return time.perf_counter() - begun


def domain_of(name: str) -> str:
    """Return the domain of a name."""
    return name[: name.rfind(".") + 1] or "."


def cut_off(name: str, asked: str, dead: list[str]) -> bool:
    """Return whether a dead server is on the path from one server to that of a name."""
    target = domain_of(name)
    up, down = set(chain(asked)), set(chain(target))
    return any(each in (up ^ down) | {common(asked, target)} for each in dead)


def chain(domain: str) -> list[str]:
    """Return a domain and those above it."""
    found = [domain]
    while domain != ".":
        domain = domain[: domain.rstrip(".").rfind(".") + 1] or "."
        found.append(domain)
    return found


def common(one: str, other: str) -> str:
    """Return the nearest domain above both."""
    above = chain(other)
    return next(each for each in chain(one) if each in above)


def show() -> int:
    """Measure, print and write the file; return the exit status."""
    found = asyncio.run(measure())
    for key, value in found.items():
        print(f"{key:<34}{value}")
    keep("naming", {"results": found})
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(show())
