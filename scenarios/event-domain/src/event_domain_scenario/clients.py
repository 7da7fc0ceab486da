"""Native clients: suppliers that are pulled from, and consumers that pull. They know no domain."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from eventservices.cns import ClientType, Connection, ProxyPullSupplier

from event_domain_scenario.errors import ScenarioError
from event_domain_scenario.story import CONSUMERS, SUPPLIERS, name

WITHIN_S: Final = 60.0
LOOK_S: Final = 0.02


class Supplier:
    """Sends what was put into it when it is pulled from."""

    def __init__(self) -> None:
        self.waiting: list[str] = []

    def try_pull(self) -> tuple[str, bool]:
        """Return the next event, and whether there is one."""
        return (self.waiting.pop(0), True) if self.waiting else ("", False)


async def play(
    broker: str,
    channel_of: Callable[[str, int | None], str],
    events: int,
    over: Callable[[dict[int, Counter[str]]], bool],
    *,
    repetitions: bool,
) -> dict[int, Counter[str]]:
    """Make all suppliers send their events, and return what the consumers pulled.

    Args:
        broker: Address of the broker.
        channel_of: Returns the name of the channel that a client is to use, by its role and the
            channel that it names.
        events: Events of each supplier.
        over: Whether nothing more will come.
        repetitions: Whether the consumers request repetitions.

    Raises:
        ScenarioError: It is not over in time.
    """
    counts: dict[int, Counter[str]] = {number: Counter() for number in CONSUMERS}
    async with Connection(broker, name="scenario") as connection:
        proxies = []
        for number, member in CONSUMERS.items():
            channel = await connection.open_channel(channel_of("pull_consumer", member))
            admin = channel.for_consumers()
            proxy = admin.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
            await proxy.connect_any_pull_consumer(repetitions=repetitions)
            proxies.append((proxy, counts[number]))
        for number, member in SUPPLIERS.items():
            channel = await connection.open_channel(channel_of("pull_supplier", member))
            supplier = Supplier()
            into = channel.for_suppliers().obtain_notification_pull_consumer(ClientType.ANY_EVENT)
            await into.connect_any_pull_supplier(supplier)
            supplier.waiting += [name(number, event) for event in range(events)]
        await _pull_until_over(proxies, lambda: over(counts))
    return counts


async def _pull_until_over(
    proxies: Sequence[tuple[ProxyPullSupplier, Counter[str]]], over: Callable[[], bool]
) -> None:
    try:
        async with asyncio.timeout(WITHIN_S):
            ended = False
            while True:
                for proxy, counts in proxies:
                    while (found := proxy.try_pull())[1]:
                        counts[str(found[0])] += 1
                if ended:
                    return
                ended = await asyncio.to_thread(over)
                await asyncio.sleep(LOOK_S)
    except TimeoutError as error:
        raise ScenarioError(f"the events were not over within {WITHIN_S:g} s") from error
