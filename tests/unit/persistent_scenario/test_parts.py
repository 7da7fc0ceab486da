"""What a run consists of, from the federation's file."""

import asyncio
import time
from pathlib import Path

import pytest
from persistent_scenario.errors import InputError, RunningError
from persistent_scenario.parts import Brokers, Gateways, names_of, processes_of
from persistent_scenario.running import ends, ordered
from persistent_scenario.waiting import until

SCENARIO = Path(__file__).parents[3] / "scenarios/persistent"

ALONE = """
version: 1
system: alone
event_services: {north: {kind: memory}}
gateways: {g: {adapters: {north: {}}}}
"""


def test_each_gateway_and_adapter_has_a_process_of_its_own() -> None:
    chain = names_of(SCENARIO / "chain.yaml")

    assert processes_of(chain) == (
        *("g1", "g2"),
        *("g1.cns-a", "g1.cns-b", "g2.cns-b", "g2.cns-c"),
    )


@pytest.mark.parametrize(
    ("name", "first_and_last", "killed_in_every_order"),
    [
        ("pair.yaml", ("cns-a", "cns-b"), ("g1", "b")),
        ("chain.yaml", ("cns-a", "cns-c"), ("g1", "g2", "b")),
    ],
)
def test_the_stream_runs_from_the_first_service_to_the_last(
    name: str, first_and_last: tuple[str, str], killed_in_every_order: tuple[str, ...]
) -> None:
    federation = names_of(SCENARIO / name)

    assert ends(federation) == first_and_last
    assert ordered(federation, Gateways()) == killed_in_every_order


def test_a_federation_of_one_service_is_bad_input(tmp_path: Path) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text(ALONE)

    with pytest.raises(InputError, match="one event service"):
        ends(names_of(file))


def test_the_file_is_told_where_the_brokers_are(tmp_path: Path) -> None:
    brokers = Brokers(("a", "b"), tmp_path)

    assert brokers.variables == {
        "BROKER_A": brokers.servers["a"].url,
        "BROKER_B": brokers.servers["b"].url,
    }
    text = (SCENARIO / "pair.yaml").read_text()
    assert all(f"${{{name}:-" in text for name in brokers.variables)


async def test_what_does_not_come_to_be_is_named() -> None:
    began_s = time.monotonic()
    await until(lambda: time.monotonic() > began_s + 0.1, 10.0, "time to pass")
    await until(lambda: asyncio.sleep(0, result=True), 10.0, "an answer")

    with pytest.raises(RunningError, match=r"waited 0\.1 s for a miracle"):
        await until(lambda: False, 0.1, "a miracle")


def test_of_a_gateway_with_replicas_these_are_killed_in_every_order() -> None:
    federation = names_of(SCENARIO / "chain.yaml")
    gateways = Gateways(replicas=3)
    assert ordered(federation, gateways) == ("g1-r1", "g1-r2", "g1-r3")
    assert gateways.words(federation)[-4:] == ["--replicas", "g1=3", "--replicas", "g2=3"]


def test_where_journals_are_stands_in_the_files_place() -> None:
    federation = names_of(SCENARIO / "pair.yaml")
    assert Gateways().variables(federation, "") == {}
    assert Gateways(store="jetstream").variables(federation, "nats://here:1") == {
        "FES__GATEWAYS__G1__STORE__KIND": "jetstream",
        "FES__GATEWAYS__G1__STORE__URL": "nats://here:1",
    }
