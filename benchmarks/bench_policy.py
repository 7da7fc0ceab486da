"""The policy service: a revocation among 200 rules, 1,000 users and 1,000 sinks, until all ends."""

import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

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
from fes_policy import Engine, parse_rules
from fes_policy.building import Building, User
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts
from report import RUNS, machine

USERS, RULES, GROUPS, NAMES, PAUSE_S = 1000, 200, 20, 10, 0.5
BUILDING_ID = "bench"


def rules(*, revoked: int = -1) -> str:
    """Return the rules, with one group forbidden everything."""
    text = "".join(
        f'@id("r{n}") permit (principal in Group::"g{n % GROUPS}", action, '
        f'resource == Event::"e.n{n // GROUPS}");'
        for n in range(RULES)
    )
    if revoked >= 0:
        text += f'forbid (principal in Group::"g{revoked}", action, resource);'
    return text


async def measure() -> dict[str, object]:
    """Return what was measured and verified."""
    building = Building(users={f"u{n}": User((f"g{n % GROUPS}",)) for n in range(USERS)})
    engine = Engine(parse_rules(rules()), building, Whereabouts(building))
    with NatsServer(ServerSpec("policy", Path(tempfile.mkdtemp()))) as broker:
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            service = await enter(PolicyServer([broker.url], BUILDING_ID, engine))
            link = await enter(NatsLink([broker.url]))
            settings = BusSettings(policy=True, retry_us=1_000_000)
            options = BusOptions(settings, policy=PolicyClient(link, BUILDING_ID))
            near = await enter(EventBus([broker.url], BUILDING_ID, "near", options))
            far = await enter(EventBus([broker.url], BUILDING_ID, "far"))
            return await _measured(stack, service, near, far)


async def _measured(
    stack: AsyncExitStack, service: PolicyServer, near: EventBus, far: EventBus
) -> dict[str, object]:
    sources = await stack.enter_async_context(BusClient(LocalTransport(near, "sources")))
    made = [await sources.advertise(f"e.n{number}") for number in range(NAMES)]
    last_s: dict[int, float] = {}
    begun = time.perf_counter()
    for number in range(USERS):
        client = BusClient(LocalTransport(far, f"u{number}"), user=f"u{number}", device="desk")
        await stack.enter_async_context(client)

        def take(event: Event, group: int = number % GROUPS) -> None:
            del event
            last_s[group] = time.perf_counter()

        await client.subscribe(f"e.n{number % NAMES}", take)
    subscribed_s = time.perf_counter() - begun
    publishing = asyncio.create_task(_publish(made))
    await asyncio.sleep(1.0)
    revoked_s = time.perf_counter()
    await service.replace(parse_rules(rules(revoked=3)))
    await asyncio.sleep(8.0)
    publishing.cancel()
    await asyncio.gather(publishing, return_exceptions=True)
    return {
        "users_and_sinks": USERS,
        "rules": RULES,
        "subscribing_ms_each": round(1000 * subscribed_s / USERS, 2),
        "revocations": near.counters["revocations"],
        "last_delivery_after_s": round(max(0.0, last_s[3] - revoked_s), 3),
        "others_go_on": all(last_s[group] > revoked_s + 5 for group in range(GROUPS) if group != 3),
    }


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
    for key, value in found.items():
        print(f"{key:<28}{value}")
    RUNS.mkdir(parents=True, exist_ok=True)
    path = RUNS / f"{time.strftime('%Y%m%d-%H%M%S')}-policy.json"
    path.write_text(json.dumps({"v": 1, "machine": machine(), "results": found}, indent=1))
    return 0 if found["revocations"] == USERS // GROUPS and found["others_go_on"] else 1


if __name__ == "__main__":
    raise SystemExit(show())
