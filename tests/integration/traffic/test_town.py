"""A town at work: native applications, then a federation among them, then its end and its judge.

The tests stand in the order of that story and share one run. The brokers are not the federation's.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import open_folder
from analytics.spark.session import spark_session
from analytics.traffic.job import judge
from analytics.verdict import BROKEN, Verdict
from fes.testing.eventually import eventually
from integration.traffic.natives import Natives, trace_time_us
from pyspark.sql import SparkSession
from support.judge import twin
from support.judge.corrupt import CORRUPTIONS, corrupt
from support.processes.federation import STOP_S, Federation, is_alive, plan, running, whole_lines

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]

KINDS = ("cns", "siena", "steam")
FLOWING = 5
"""So many events are enough to see that they flow."""


@dataclass(frozen=True)
class Case:
    """A request's way, and what a native observer at the destination sees of it.

    Attributes:
        gateway: Takes the request.
        source: Event service that the request comes from.
        at: Its kind.
        destination: Event service where it is applied.
        gateways: How many gateways are at the destination; each applies what it knows.
        words: Type of request to what the observer calls it, and how it names the subject.
    """

    gateway: str
    source: str
    at: str
    destination: str
    gateways: int
    words: dict[str, tuple[str, str]]

    @property
    def kind(self) -> str:
        """Kind of the destination."""
        return self.destination.split("-")[0]

    def saw(self, natives: Natives, request: str, subject: str) -> bool:
        """Tell whether a native observer saw every gateway at the destination apply a request."""
        what, about = self.words[request]
        return natives.observers[self.kind].saw(what, about % subject) == self.gateways


ADDED, REMOVED = '"added": [["*", "%s"]]', '"removed": [["*", "%s"]]'
CASES = (
    Case(
        *("g-v-FES0001", "steam-v-FES0001", "steam", "cns-v-FES0001", 1),
        {
            "subscription": ("subscription_change", ADDED),
            "unsubscription": ("subscription_change", REMOVED),
            "announcement": ("offer_change", ADDED),
            "unannouncement": ("offer_change", REMOVED),
        },
    ),
    Case(
        *("g-m-M01", "steam-m-M01", "steam", "siena-m", 3),
        {
            "subscription": ("subscription", "%s"),
            "unsubscription": ("unsubscription", "%s"),
            "announcement": ("advertisement", "%s"),
            "unannouncement": ("unadvertisement", "%s"),
        },
    ),
    Case(
        *("g-v-FES0001", "cns-v-FES0001", "cns", "steam-v-FES0001", 1),
        {
            "subscription": ("join", "%s"),
            "unsubscription": ("leave", "%s"),
            "announcement": ("announcement", "%s"),
            "unannouncement": ("unannouncement", "%s"),
        },
    ),
)
at_each_service = pytest.mark.parametrize("case", CASES, ids=lambda case: case.destination)


@dataclass(frozen=True)
class End:
    """How a federation ended: its exit status, how long that took, and its processes."""

    status: int
    took_s: float
    pids: dict[int, str]


@pytest.fixture(scope="module")
def town(brokers: dict[str, str], folder: Path) -> Iterator[Federation]:
    with running(plan(folder / "run", brokers)) as federation:
        yield federation


@pytest.fixture(scope="module")
def end(town: Federation) -> End:
    pids, began_s = town.processes, time.monotonic()
    return End(town.stop(), time.monotonic() - began_s, pids)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with spark_session() as session:
        yield session


@pytest.mark.parametrize("kind", KINDS)
async def test_native_applications_work_before_there_is_a_federation(
    natives: Natives, kind: str
) -> None:
    await natives.understand_each_other(kind)


@at_each_service
async def test_a_subscription_by_rest_is_native_until_it_is_withdrawn(
    natives: Natives, town: Federation, case: Case
) -> None:
    subject = f"Door_{case.kind}"
    text = f"subject = '{subject}'"
    request = {"source": case.source, "dist_list": case.destination, "filter": text}
    identity = town.inject(case.gateway, type="subscription", **request)
    await eventually(lambda: town.subscriptions(case.gateway).get(text) == {case.destination})
    await eventually(lambda: case.saw(natives, "subscription", subject))
    decisions = town.decisions(case.gateway, identity)
    assert (decisions[0], decisions[-1]) == ("accepted", "applied")
    await crosses(natives, town, case, subject)
    identity = town.inject(case.gateway, type="unsubscription", **request)
    await eventually(lambda: case.saw(natives, "unsubscription", subject))
    await eventually(lambda: town.decisions(case.gateway, identity)[-1] == "applied")
    assert text not in town.subscriptions(case.gateway)


async def crosses(natives: Natives, town: Federation, case: Case, subject: str) -> None:
    """Have a native event at the destination of a subscription surface at its source."""
    word = await natives.speak(case.kind, subject, trace_time_us(town.folder))
    await eventually(lambda: natives.heard(case.at, word) == 1, what="the event crossed")


@at_each_service
async def test_an_announcement_by_rest_is_native_until_it_is_withdrawn(
    natives: Natives, town: Federation, case: Case
) -> None:
    subject = f"Gate_{case.kind}"
    event = {"subject": subject, "parameters": {"open": 1}}
    request = {"source": case.source, "dist_list": case.destination, "event": event}
    identity = town.inject(case.gateway, type="announcement", **request)
    await eventually(lambda: town.announcements(case.gateway).get(subject) == {case.destination})
    await eventually(lambda: case.saw(natives, "announcement", subject))
    decisions = town.decisions(case.gateway, identity)
    assert (decisions[0], decisions[-1]) == ("accepted", "applied")
    identity = town.inject(case.gateway, type="unannouncement", **request)
    await eventually(lambda: case.saw(natives, "unannouncement", subject))
    await eventually(lambda: town.decisions(case.gateway, identity)[-1] == "applied")
    assert subject not in town.announcements(case.gateway)


@at_each_service
async def test_a_publication_by_rest_reaches_native_clients_once(
    natives: Natives, town: Federation, case: Case
) -> None:
    word = f"rings-at-{case.destination}"
    event = {"subject": "Bell", "parameters": {"word": word}}
    addressed = {"source": case.source, "dist_list": case.destination}
    town.inject(case.gateway, type="publication", event=event, **addressed)
    await eventually(lambda: natives.heard(case.kind, word) == 1)
    assert natives.heard(case.at, word) == 0


async def test_a_raised_limit_keeps_events_from_leaving_a_monitor_s_air(town: Federation) -> None:
    town.set_limit("M01", 110.0)
    await holds(town, "M01", 110.0)
    silent = await counted(town, "M01")
    await flow(town, "M03")
    assert await counted(town, "M01") == silent
    assert "M01  50 km/h" in await asyncio.to_thread(city, town, "set", "M01", "50")
    await holds(town, "M01", 50.0)
    await flow(town, "M01")
    assert await counted(town, "M01") >= silent + FLOWING
    assert "M01  50 km/h  applied" in await asyncio.to_thread(city, town, "limits")


async def test_every_change_of_a_limit_is_told(town: Federation) -> None:
    def told() -> list[tuple[str, float]]:
        commands = [one for one in town.lines("commands.jsonl") if one["monitor"] == "M01"]
        assert all(one["sent_us"] <= one["applied_us"] for one in commands)
        return [(one["action"], one["limit"]) for one in commands if one["action"] != "renew"]

    first, raised, lowered = ("subscribe", 50.0), ("subscribe", 110.0), ("subscribe", 50.0)
    gone, gone_again = ("unsubscribe", 50.0), ("unsubscribe", 110.0)
    await eventually(lambda: told() == [first, raised, gone, lowered, gone_again])


async def holds(town: Federation, monitor: str, limit_kmh: float) -> None:
    """Wait until one limit, and no other, is in force at a monitor."""
    service = f"steam-m-{monitor}"
    wanted = {f"subject = 'Speed' AND rate > {limit_kmh:g}"}

    def here() -> set[str]:
        listed = town.subscriptions(f"g-m-{monitor}")
        return {text for text, applied in listed.items() if service in applied}

    await eventually(lambda: here() == wanted, what=f"{limit_kmh} km/h at {monitor}")


async def counted(town: Federation, monitor: str) -> int:
    """Return how many events a monitor's access point let in up to now."""
    now_us = time.time_ns() // 1000
    await eventually(lambda: town.ear(monitor)["proved_us"] > now_us, what="counters of now")
    return int(town.ear(monitor)["counters"]["accepted"])


async def flow(town: Federation, monitor: str) -> None:
    """Wait until the city heard of more offenders from a monitor."""
    told = town.reports(monitor)
    await eventually(lambda: town.reports(monitor) >= told + FLOWING, what=f"{monitor} reports")


def city(town: Federation, *arguments: str) -> str:
    """Run a command of the city; return what it said."""
    command = (sys.executable, "-m", "traffic_control", *arguments, "--run", str(town.folder))
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("kind", KINDS)
async def test_native_applications_work_beside_the_federation(
    natives: Natives, town: Federation, kind: str
) -> None:
    assert town.alive
    await natives.understand_each_other(kind)


async def test_a_ctrl_c_ends_every_process_and_nothing_is_left_half(
    town: Federation, end: End
) -> None:
    assert end.status == 130
    assert end.took_s < STOP_S
    assert len(end.pids) == 8, "fes run, its lifeline, two of gateways, four others"
    assert [command for pid, command in end.pids.items() if is_alive(pid)] == []
    files = [*town.folder.glob("*.jsonl"), *town.folder.glob("logs/eventlog-*.jsonl")]
    assert [file.name for file in files if not ends_whole(file)] == []


def ends_whole(file: Path) -> bool:
    """Tell whether a file of JSON lines is empty or ends with a whole line."""
    text = file.read_bytes()
    return not text or (text.endswith(b"\n") and bool(json.loads(text.splitlines()[-1])))


async def test_every_component_says_that_it_stopped(town: Federation, end: End) -> None:
    said: dict[str, list[str]] = {}
    for file in town.folder.glob("logs/eventlog-*.jsonl"):
        for line in whole_lines(file):
            if line["decision"] in ("started", "stopped"):
                said.setdefault(line["name"], []).append(line["decision"])
    assert len(said) == 7 * 3, "seven gateways, each with two adapters"
    assert {name: all_ for name, all_ in said.items() if all_ != ["started", "stopped"]} == {}


@pytest.mark.parametrize("kind", KINDS)
async def test_native_applications_work_after_the_federation_ended(
    natives: Natives, end: End, kind: str
) -> None:
    assert end.status == 130
    await natives.understand_each_other(kind)


def verdict(spark: SparkSession, run: Path) -> Verdict:
    """Return what the judge says of a run."""
    folder = open_folder(run)
    return judge(spark, folder, load_federation(folder.federation)).verdict


@pytest.mark.spark
def test_the_judge_finds_the_run_good_and_its_twin_agrees(
    spark: SparkSession, town: Federation, end: End
) -> None:
    found = verdict(spark, town.folder)
    assert found.passed, found
    assert found.reports.received > 50
    assert found.reports.outage == 0
    assert asdict(found.reports) == twin.judge(town.folder)


@pytest.mark.spark
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_the_judge_sees_a_corruption_of_the_run(
    spark: SparkSession, town: Federation, end: End, tmp_path: Path, name: str
) -> None:
    copy = Path(shutil.copytree(town.folder, tmp_path / "run"))
    wrong = corrupt(copy, name)
    promises = {one.name: one for one in verdict(spark, copy).promises if one.status == BROKEN}
    assert list(promises) == [wrong.promise]
    told = " ".join(f"{one.id} {one.reason}" for one in promises[wrong.promise].examples)
    assert all(named in told for named in wrong.named)
