"""The readers: native clients of the last event service, which know nothing of a federation."""

from pathlib import Path

from eventservices.cns import (
    ClientType,
    Connection,
    EventChannel,
    QoS,
    Reliability,
    StructuredEvent,
    StructuredProxyPushSupplier,
)
from eventservices.cns.etcl import Filter
from eventservices.stamp import Stamp
from serving.clocks import wall_us
from serving.ending import ending_event

from persistent_scenario.records import RECEIVED, Received, Recorder, Suppressed
from persistent_scenario.story import CHANNEL, READERS, SUBJECT, WITNESS, Asked

KEEP: dict[str, object] = {QoS.CONNECTION_RELIABILITY: Reliability.PERSISTENT}


class Reader:
    """Logs each reading that it receives; then its channel acknowledges it.

    Args:
        name: Its own; events wait under it while it is away.
        recorder: Where it writes.
    """

    def __init__(self, name: str, recorder: Recorder) -> None:
        self._name = name
        self._recorder = recorder

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        """Accept a reading; the channel calls it."""
        data = event.filterable_data
        identity = f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}" if stamp else ""
        station, number, value = (data.get(key) for key in ("station", "number", "value"))
        self._recorder.write(
            Received(
                self._name,
                station if isinstance(station, str) else "",
                number if isinstance(number, int) else 0,
                value if isinstance(value, int) else -1,
                identity,
                wall_us(),
            )
        )


async def receive(folder: Path, url: str) -> None:
    """Write down what arrives, until the process is requested to end.

    Args:
        folder: The run folder; the file of what arrives is made when every reader listens.
        url: Broker of the last event service.
    """
    ended = ending_event()
    async with (
        Connection(url, name="readers") as connection,
        await connection.open_channel(CHANNEL, qos=KEEP) as channel,
    ):
        hidden = Recorder(folder / f".{RECEIVED}")
        proxies = {each.name: await _join(channel, each.name, each, hidden) for each in READERS}
        proxies[WITNESS] = await _join(channel, WITNESS, None, hidden)
        (folder / f".{RECEIVED}").rename(folder / RECEIVED)
        await ended.wait()
        counts = {name: proxy.suppressed for name, proxy in proxies.items()}
    hidden.write(*(Suppressed(name, count) for name, count in counts.items()))
    hidden.close()


def constraint_of(asked: Asked) -> str:
    """Return a reader's filter, in the channel's own language, ETCL."""
    return f"$value >= {asked.at_least} and $value <= {asked.at_most}"


async def _join(
    channel: EventChannel, name: str, asked: Asked | None, recorder: Recorder
) -> StructuredProxyPushSupplier:
    admin = channel.default_consumer_admin
    proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
    if asked is not None:
        wanted = Filter()
        wanted.add_constraints([([("*", SUBJECT)], constraint_of(asked))])
        proxy.add_filter(wanted)
    else:
        await proxy.subscription_change([("*", SUBJECT)], [])
    await proxy.connect_structured_push_consumer(Reader(name, recorder), durable=name)
    return proxy
