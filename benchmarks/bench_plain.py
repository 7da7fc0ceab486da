"""Plain systems: one gateway between two brokers, beside a direct publish and receive at either.

MQTT → NATS, NATS → MQTT and NATS → Kafka; every event is verified.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from eventservices.servers import NatsServer, ServerSpec
from measure import Meter, children_of, role_of
from processes import Child, NotStartedError
from report import keep

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.processes.foreign import Kafka, Mosquitto

PATHS = (("mqtt", "nats"), ("nats", "mqtt"), ("nats", "kafka"))
EVENTS, WINDOW, ROUNDS = 10_000, 256, 3
START_S = 60.0

FILE = """
version: 1
system: bench
brokers:
  one: {{kind: {source}, url: "{source_url}"}}
  two: {{kind: {target}, url: "{target_url}"}}
event_services:
  one: {{kind: {source}, brokers: [one], settings: {{{source_settings}}}}}
  two: {{kind: {target}, brokers: [two], settings: {{{target_settings}}}}}
gateways:
  gate: {{adapters: {{one: {{}}, two: {{}}}}}}
requests:
  - {{gateway: gate, type: subscription, source: two, dist_list: one, filter: "n >= -1"}}
http: {{port: 0}}
event_log: {{sample: 0.01}}
"""
SETTINGS = {"mqtt": 'protocol: "5"', "nats": "", "kafka": ""}


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured on one path; medians over rounds.

    Attributes:
        path: Source and target.
        events_s: Events a second through the gateway.
        source_s, target_s: Events a second, published and received at that broker alone.
        ratio: Of `events_s` to the slower of these, each pair measured one after the other.
        gateway_us: Processor time of the gateway's process for an event, microseconds.
        wrong: Events that were lost, doubled or altered, over all rounds.
    """

    path: str
    events_s: float
    source_s: float
    target_s: float
    ratio: float
    gateway_us: float
    wrong: int


def measure(folder: Path, events: int, rounds: int) -> list[Row]:
    """Measure all paths on brokers of their own."""
    with ExitStack() as stack:
        urls = _brokers(folder, stack)
        return [_path(folder, urls, *path, events, rounds) for path in PATHS]


def _brokers(folder: Path, stack: ExitStack) -> dict[str, str]:
    mosquitto, kafka = Mosquitto(folder), Kafka(folder)
    mosquitto.start()
    stack.callback(mosquitto.stop)
    kafka.start()
    stack.callback(kafka.stop)
    kafka.create("Reading")
    server = stack.enter_context(NatsServer(ServerSpec("bench", folder / "nats")))
    return {"mqtt": mosquitto.mqtt_url, "nats": server.url, "kafka": kafka.url}


def _path(
    folder: Path, urls: dict[str, str], source: str, target: str, events: int, rounds: int
) -> Row:
    through, alone, costs, wrong = [], {source: [0.0] * 0, target: [0.0] * 0}, [], 0
    for number in range(rounds):
        place = folder / f"{source}-{target}-{number}"
        place.mkdir()
        for kind, rates in alone.items():
            direct = _load(place, urls[kind], urls[kind], events, None)
            rates.append(direct.rate)
            wrong += direct.wrong
        with _gateway(place, urls, source, target) as pid:
            found = _load(place, urls[source], urls[target], events, Meter({"gateway": pid}))
        through.append(found.rate)
        costs.append(found.cpu_us)
        wrong += found.wrong
    pairs = zip(through, alone[source], alone[target], strict=True)
    return Row(
        f"{source} → {target}",
        statistics.median(through),
        statistics.median(alone[source]),
        statistics.median(alone[target]),
        statistics.median(rate / min(one, other) for rate, one, other in pairs),
        statistics.median(costs),
        wrong,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    rate: float
    wrong: int
    cpu_us: float


def _load(folder: Path, source: str, target: str, events: int, meter: Meter | None) -> _Found:
    """Publish and receive in a process of its own; count processor time from its start."""
    script = str(Path(__file__).with_name("plain_load.py"))
    words = [sys.executable, script, source, target, str(events), str(WINDOW)]
    child = Child(words, folder / "load.log", talks=True)
    try:
        child.ask()
        if meter is not None:
            meter.restart()
        found = child.ask("go")
        used_s = 0.0 if meter is None else meter.used_s()["gateway"]
    finally:
        child.stop()
    came = events - found["lost"]
    wrong = int(found["lost"] + found["doubled"] + found["altered"])
    return _Found(came / found["seconds"], wrong, used_s / events * 1e6)


@contextmanager
def _gateway(folder: Path, urls: dict[str, str], source: str, target: str) -> Iterator[int]:
    """Run a federation of two systems; yield the process of its gateway."""
    file = folder / "federation.yaml"
    text = FILE.format(
        source=source,
        source_url=urls[source],
        source_settings=SETTINGS[source],
        target=target,
        target_url=urls[target],
        target_settings=SETTINGS[target],
    )
    file.write_text(text, "utf-8")
    fes = str(Path(sys.executable).with_name("fes"))
    child = Child([fes, "run", str(file), "--run", str(folder / "run")], folder / "fes-run.log")
    try:
        yield _started(child)
    finally:
        child.stop()


def _started(child: Child) -> int:
    deadline_s = time.monotonic() + START_S
    while time.monotonic() < deadline_s and child.running:
        if "fes run: gateways:" in child.log.read_text("utf-8", "replace"):
            for pid in children_of(child.pid):
                if role_of(pid).startswith("gateways"):
                    return pid
        time.sleep(0.05)
    raise NotStartedError(child.log.read_text("utf-8", "replace")[-2000:])


def show(events: int = EVENTS, rounds: int = ROUNDS) -> int:
    """Measure, print the table and write the file; return the exit status."""
    with tempfile.TemporaryDirectory(prefix="fes-bench-") as folder:
        rows = measure(Path(folder), events, rounds)
    print("path            events/s   source alone   target alone   ratio   gateway µs   wrong")
    for row in rows:
        print(
            f"{row.path:14}{row.events_s:10,.0f}{row.source_s:15,.0f}{row.target_s:15,.0f}"
            f"{row.ratio:8.2f}{row.gateway_us:13.0f}{row.wrong:8}"
        )
    path = keep("plain", {"results": [asdict(row) for row in rows]})
    print(f"\nwritten to {path}\n")
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    sys.exit(show(given.events, given.rounds))
