"""The policy service: 200 rules, 1,000 users and 1,000 sinks, some of whom lose their right.

The right of one group is revoked, and those of another step out of the room that theirs depends on.
Of some sinks the listener waits, so that copies are in queues. The same of copies in the custody of
a gateway is in `policy_custody`, what the report on the rules costs in `policy_reporting`.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import policy_custody
import policy_reporting
from eventservices.bus import (
    BusClient,
    BusError,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    LocalTransport,
    Source,
)
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes_policy import Engine, Rules, parse_rules
from fes_policy.building import Building, Place, User
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts
from report import keep

USERS, RULES, GROUPS, NAMES, PAUSE_S, IN_FLIGHT = 1000, 200, 20, 10, 0.05, 8
REVOKED, LEAVING, SLOW = 3, 1, 5
"""Which groups lose their right, and of how many sinks of the first the listener waits."""

GOES_ON_S, LONGEST_S = 4.0, 300.0
BUILDING_ID = "bench"
INSIDE = 'when { context has place && context.place == "room" }'


def rules(*, revoked: int = -1) -> Rules:
    """Return the rules, with one group forbidden everything."""
    text = "".join(
        f'@id("r{n}") permit (principal in Group::"g{n % GROUPS}", action, '
        f'resource == Event::"e.n{n // GROUPS}") {INSIDE if n % GROUPS == LEAVING else ""};'
        for n in range(RULES)
    )
    if revoked >= 0:
        text += f'forbid (principal in Group::"g{revoked}", action, resource);'
    return parse_rules(text)


class Sinks:
    """What the users' sinks receive.

    Attributes:
        last_s: When each user received last.
        late: How many events a user's sink received after `gate` was opened, of those before.
        gate: What the listeners of slow sinks wait for.
    """

    def __init__(self) -> None:
        self.last_s: dict[int, float] = {}
        self.late: dict[int, int] = {}
        self.gate = asyncio.Event()

    def listener(self, user: int) -> Callable[[Event], Awaitable[None] | None]:
        """Return a user's listener."""
        slow = user % GROUPS == REVOKED and user // GROUPS < SLOW
        return partial(self._wait if slow else self._take, user)

    def _take(self, user: int, event: Event) -> None:
        del event
        self.last_s[user] = time.perf_counter()

    async def _wait(self, user: int, event: Event) -> None:
        del event
        await self.gate.wait()
        self.late[user] = self.late.get(user, 0) + 1

    def last_of(self, group: int) -> float:
        """Return when any of a group received last."""
        return max(at_s for user, at_s in self.last_s.items() if user % GROUPS == group)


async def measure() -> dict[str, object]:
    """Return what was measured and verified."""
    building = Building(
        users={f"u{n}": User((f"g{n % GROUPS}",), (badge(n).hex(),)) for n in range(USERS)},
        places={"room": Place("", ("inside",)), "hall": Place("", ("outside",))},
    )
    engine = Engine(rules(), building, Whereabouts(building))
    with NatsServer(ServerSpec("policy", Path(tempfile.mkdtemp()))) as broker:
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            service = await enter(PolicyServer([broker.url], BUILDING_ID, engine))
            link = await enter(NatsLink([broker.url]))
            settings = BusSettings(policy=True, retry_us=1_000_000)
            options = BusOptions(settings, policy=PolicyClient(link, BUILDING_ID))
            near = await enter(EventBus([broker.url], BUILDING_ID, "near", options))
            few = BusOptions(BusSettings(in_flight=IN_FLIGHT))
            far = await enter(EventBus([broker.url], BUILDING_ID, "far", few))
            return await _measured(stack, service, near, far)


async def _measured(
    stack: AsyncExitStack, service: PolicyServer, near: EventBus, far: EventBus
) -> dict[str, object]:
    enter = stack.enter_async_context
    sources = await enter(BusClient(LocalTransport(near, "sources")))
    made = [await sources.advertise(f"e.n{number}") for number in range(NAMES)]
    cameras = await enter(BusClient(LocalTransport(far, "cameras")))
    sightings = await cameras.advertise(service.engine.building.sighting)
    await _until(lambda: far.counters["remote_sinks"] == 1)  # the policy service's own
    leaving = [user for user in range(USERS) if user % GROUPS == LEAVING]
    await _see(sightings, leaving, "inside")
    await _until(lambda: service.counters["moved"] == len(leaving))
    sinks = Sinks()
    begun_s = time.perf_counter()
    for user in range(USERS):
        client = await enter(
            BusClient(LocalTransport(far, f"u{user}"), user=f"u{user}", device="desk")
        )
        await client.subscribe(f"e.n{user // GROUPS % NAMES}", sinks.listener(user))
    subscribed_s = time.perf_counter() - begun_s
    publishing = asyncio.create_task(_publish(made))
    slow = len([u for u in range(USERS) if u % GROUPS == REVOKED and u // GROUPS < SLOW])
    await _until(lambda: len(sinks.last_s) == USERS - slow)
    await _until(lambda: far.counters["waiting_to_deliver"] > 2 * IN_FLIGHT * slow)
    waiting = far.counters["waiting_to_deliver"]
    revoked_s = time.perf_counter()
    await service.replace(rules(revoked=REVOKED))
    left_s = time.perf_counter()
    await _see(sightings, leaving, "outside")
    both = 2 * USERS // GROUPS
    await _until(lambda: near.counters.get("revocations") == both)
    await asyncio.sleep(GOES_ON_S)
    sinks.gate.set()
    ended_s = time.perf_counter()
    await _until(lambda: min(map(sinks.last_of, _others())) > ended_s)
    publishing.cancel()
    await asyncio.gather(publishing, return_exceptions=True)
    return {
        "users_and_sinks": USERS,
        "rules": RULES,
        "subscribing_ms_each": round(1000 * subscribed_s / USERS, 2),
        "revocations": near.counters["revocations"],
        "last_delivery_after_a_revocation_s": _after(sinks.last_of(REVOKED), revoked_s),
        "last_delivery_after_a_step_out_s": _after(sinks.last_of(LEAVING), left_s),
        "copies_that_waited_for_slow_sinks": waiting,
        "copies_withdrawn": sum(bus.counters.get("withdrawn", 0) for bus in (far, near)),
        "copies_delivered_late_most": max(sinks.late.values(), default=0),
        "others_go_on": all(sinks.last_of(group) > ended_s for group in _others()),
    }


def _others() -> list[int]:
    return [group for group in range(GROUPS) if group not in (REVOKED, LEAVING)]


def _after(last_s: float, since_s: float) -> float:
    return round(max(0.0, last_s - since_s), 3)


def badge(user: int) -> bytes:
    """Return the badge of a user."""
    return user.to_bytes(6)


async def _see(sightings: Source, users: list[int], station: str) -> None:
    for user in users:
        await sightings.notify({"station": station, "badge": badge(user)})


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONGEST_S):
        while not condition():
            await asyncio.sleep(0.01)


async def _publish(sources: list[Source]) -> None:
    while True:
        for source in sources:
            try:
                await source.notify({"n": 1})
            except BusError as error:
                print(f"not sent: {error}")
            await asyncio.sleep(PAUSE_S)


def show() -> int:
    """Measure, print and write the file; return the exit status."""
    found = asyncio.run(measure())
    found |= policy_custody.withdrawn(users=100, copies=100, revoked=10)
    costs = policy_reporting.costs((50, 100, 200, 400), (100, 1000))
    for key, value in found.items():
        print(f"{key:<40}{value}")
    for cost in costs:
        print("report:  " + "  ".join(f"{key} {value:>6}" for key, value in cost.items()))
    keep("policy", {"results": found, "reporting": costs}, v=2)
    kept = found["copies_sent_without_a_right"] == found["copies_lost_of_others"] == 0
    return 0 if kept and is_right(found) else 1


def is_right(found: dict[str, object]) -> bool:
    """Return whether rights ended, those of two groups alone, and nothing else did; no timing."""
    return (
        found["revocations"] == 2 * USERS // GROUPS
        and found["others_go_on"] is True
        and int(str(found["copies_withdrawn"])) > 0
        and int(str(found["copies_delivered_late_most"])) <= IN_FLIGHT
    )


if __name__ == "__main__":
    raise SystemExit(show())
