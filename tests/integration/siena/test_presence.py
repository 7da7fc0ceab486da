"""What a native observer sees of the clients of a service."""

import asyncio
import json
import sys
import time
from typing import Any

import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Filter, Kind, Seen, format_filter, where
from support.siena.clients import Cluster, Connect, Eventually, ignore


class Watch:
    """Keeps what an observer was told."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def __call__(self, seen: Seen) -> None:
        self.seen.append(seen)

    @property
    def story(self) -> list[tuple[str, str, str]]:
        return [
            ("+-"[seen.withdrawn] + seen.kind.value, seen.party, format_filter(seen.filter))
            for seen in self.seen
        ]


async def test_an_observer_sees_what_other_clients_declare_and_withdraw(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    watch = Watch()
    here.observe(watch)
    client = there.client("city", role="application")
    await client.subscribe(where(("rate", ">", 70)), ignore)
    await client.advertise(where(("rate", ">=", 0)))
    await client.unsubscribe(Filter())
    await client.unadvertise(Filter())
    await eventually(lambda: len(watch.seen) >= 4)
    assert watch.story == [
        ("+s", "city", "filter{ rate >70}"),
        ("+a", "city", "filter{ rate >=0}"),
        ("-s", "city", "filter{ rate >70}"),
        ("-a", "city", "filter{ rate >=0}"),
    ]
    assert {seen.role for seen in watch.seen} == {"application"}
    assert [seen.version for seen in watch.seen] == [1, 2, 1, 2]


async def test_a_late_observer_is_told_what_is_there(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    there = await connect(cluster.urls[1])
    client = there.client("city")
    for number in range(3000):
        await client.advertise(where(("rate", ">", number), ("text", "=", "x" * 50)))
    late = await connect(cluster.urls[0])
    watch = Watch()
    await eventually(lambda: len(late.peers.current()) == 3000)
    late.observe(watch)
    assert len(watch.seen) == 3000


async def test_an_observer_is_not_told_of_its_own_connection_unless_it_asks(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    others, all_of_them = Watch(), Watch()
    client = here.client("city")
    await client.subscribe(where(("a", "any")), ignore)
    here.observe(others)
    stop = here.observe(all_of_them, own=True)
    await client.unsubscribe(Filter())
    stop()
    await client.advertise(Filter())
    assert others.seen == []
    assert [kind for kind, _, _ in all_of_them.story] == ["+s", "-s"]


async def test_the_same_declared_twice_is_seen_once_until_both_are_withdrawn(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    watch = Watch()
    here.observe(watch)
    client = there.client("city")
    one = await client.subscribe(where(("a", "any")), ignore)
    other = await client.subscribe(where(("a", "any")), ignore)
    await client.cancel(one)
    await client.advertise(Filter())
    await client.cancel(other)
    await eventually(lambda: len(watch.seen) >= 3)
    assert [kind for kind, _, _ in watch.story] == ["+s", "+a", "-s"]


async def test_what_a_connection_declared_ends_when_it_leaves(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    watch = Watch()
    here.observe(watch)
    await there.client("city").subscribe(where(("a", "any")), ignore)
    await there.close()
    await eventually(lambda: len(watch.seen) == 2)
    assert watch.seen[-1].withdrawn
    assert here.peers.died == 0


async def test_what_a_dead_connection_declared_ends_after_missed_digests(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    watch = Watch()
    here.observe(watch)
    await there.client("city").advertise(where(("a", "any")))
    await eventually(lambda: len(watch.seen) == 1)
    await there.link.close()
    await eventually(lambda: len(watch.seen) == 2)
    assert watch.seen[-1].withdrawn
    assert watch.seen[-1].kind is Kind.ADVERTISEMENT
    assert here.peers.died == 1


async def test_an_observer_that_raises_is_counted(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0])

    def fail(_seen: Seen) -> None:
        raise ValueError

    here.observe(fail, own=True)
    await here.client("city").advertise(Filter())
    assert here.counters.callback_errors == 1


class Command:
    """The observing command, running."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []

    async def read_until(self, kind: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(20):
            while True:
                line = json.loads(await self.process.stdout.readline())
                self.lines.append(line)
                if line["type"] == kind:
                    return dict(line)


async def observe(*arguments: str) -> Command:
    """Start the observing command."""
    return Command(
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "eventservices.siena",
            "observe",
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    )


async def test_the_observing_command_prints_a_line_for_each_thing_seen(
    cluster: Cluster, connect: Connect, service: str, eventually: Eventually
) -> None:
    there = await connect(cluster.urls[1], index="kind")
    client = there.client("city", role="application")
    await client.subscribe(where(("rate", ">", 70)), ignore)
    command = await observe(
        *("--url", cluster.urls[0], "--url", cluster.urls[1], "--service", service),
        *("--index", "kind", "--filter", 'filter{ kind ="Speed" rate >70}'),
    )
    seen = await command.read_until("subscription")
    assert (seen["party"], seen["role"], seen["filter"]) == (
        "city",
        "application",
        "filter{ rate >70}",
    )
    await eventually(lambda: any(entry.role == "observer" for entry in there.peers.current()))
    # The declaration is heard before the subscription is in force, so it is repeated until seen.
    stamp = None
    reading = asyncio.create_task(command.read_until("notification"))
    while not reading.done():
        await client.publish({"kind": "Speed", "rate": 60})
        stamp = stamp or await client.publish({"kind": "Speed", "rate": 80, "raw": b"\x00"})
        await client.publish({"kind": "Speed", "rate": 80, "raw": b"\x00"}, stamp=stamp)
        await asyncio.sleep(0.02)
    event = await reading
    assert event["attributes"] == {"kind": "Speed", "rate": 80, "raw": {"octets": "AA=="}}
    assert event["text"] == 'event{ kind="Speed" rate=80 raw=x"00"}'
    assert event["stamp"]["id"].startswith("city/")
    await client.advertise(where(("a", "any")))
    await client.unadvertise(Filter())
    await client.unsubscribe(Filter())
    await command.read_until("unsubscription")
    kinds = [line["type"] for line in command.lines]
    assert kinds.count("advertisement") == kinds.count("unadvertisement") == 1
    command.process.terminate()
    _, errors = await command.process.communicate()
    assert (command.process.returncode, errors) == (0, b"")


async def test_the_observing_command_ends_when_nobody_reads_it_any_more(
    cluster: Cluster, connect: Connect, service: str
) -> None:
    here = await connect(cluster.urls[0])
    client = here.client("writer")
    await client.advertise(where(("a", "any")))
    command = await observe("--url", cluster.urls[0], "--service", service)
    await command.read_until("advertisement")
    command.process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined] # asyncio has no other way
    while command.process.returncode is None:
        await client.publish({"a": 1})
        await asyncio.sleep(0.02)
    assert command.process.returncode == 0
    await command.process.communicate()


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--filter", "filter{ a >}"], 2, b"column 12"),
        (["--index", "a-b"], 2, b"a-b"),
        (["--index", "other"], 1, b"'kind'"),
        (["--index", "kind", "--semantics", "advertisement"], 1, b"advertisement-based here"),
        (["--semantics", "other"], 2, b"invalid choice"),
    ],
)
async def test_the_observing_command_ends_with_a_reason(
    cluster: Cluster,
    connect: Connect,
    service: str,
    *,
    arguments: list[str],
    status: int,
    reason: bytes,
) -> None:
    await connect(cluster.urls[0], index="kind")
    command = await observe("--url", cluster.urls[0], "--service", service, *arguments)
    _, errors = await command.process.communicate()
    assert command.process.returncode == status
    assert reason in errors
    assert b"Traceback" not in errors


async def test_a_process_that_was_halted_forgets_nobody(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    watch = Watch()
    here.observe(watch)
    await there.client("p").subscribe(where(("a", "any")), ignore)
    await eventually(lambda: len(watch.seen) == 1)
    await asyncio.sleep(2 * here.options.digest_interval_s)
    time.sleep(10 * here.options.digest_interval_s)  # noqa: ASYNC251 - the loop stands still
    await asyncio.sleep(here.options.digest_interval_s)
    await here.probe()
    assert [seen.withdrawn for seen in watch.seen] == [False]
    assert here.peers.died == 0


@pytest.mark.parametrize(
    ("party", "role"), [("", ""), ("x" * 256, ""), ("\ud800", ""), ("p", "\ud800")]
)
async def test_a_party_that_cannot_be_told_of_is_refused(
    cluster: Cluster, connect: Connect, party: str, role: str
) -> None:
    here = await connect(cluster.urls[0])
    with pytest.raises(MalformedError):
        here.client(party, role=role)
