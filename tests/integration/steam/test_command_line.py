import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from eventservices.steam import Air, AirSettings, Event, FixedLocation, NodeSettings, Term, around
from eventservices.steam.__main__ import main
from integration.steam.brokers import Broker

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "libs/eventservices/docs/steam.md"


async def start(*arguments: str) -> Process:
    command = (sys.executable, "-m", "eventservices.steam", *arguments)
    return await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)


async def test_observe_prints_what_publish_says(settings: AirSettings) -> None:
    place = ("--url", settings.url, "--air", settings.name)
    observer = await start("observe", *place)
    assert observer.stdout is not None
    try:
        async with Air(settings) as air:
            node = air.node(NodeSettings("m", 300.0), FixedLocation(50.0, 11.0))
            await node.subscribe("Speed", lambda _: None, [Term("rate", ">", 70.0)])
            line = json.loads(await asyncio.wait_for(observer.stdout.readline(), 20))
            assert (line["seen"], line["content"]) == ("join", [["rate", ">", 70.0]])
            here = ("--lat", "50", "--lon", "11", "--node", "v")
            said = await start("publish", *place, *here, "Speed", "rate=83.0", "n=1", "l=FES0001")
            lines = [
                json.loads(await asyncio.wait_for(observer.stdout.readline(), 20)) for _ in range(3)
            ]
            assert await said.wait() == 0
        assert [one["seen"] for one in lines] == ["announcement", "event", "unannouncement"]
        assert lines[1]["parameters"] == {"rate": 83.0, "n": 1, "l": "FES0001"}
        assert lines[1]["proximity"] == "0,1,0.0,0.0,300.0"
    finally:
        observer.terminate()
        await observer.communicate()


async def test_octets_and_numbers_that_are_none_are_printed_as_json(settings: AirSettings) -> None:
    observer = await start("observe", "--url", settings.url, "--air", settings.name)
    assert observer.stdout is not None
    try:
        async with Air(settings) as air:
            node = air.node(NodeSettings("v", 300.0), FixedLocation(50.0, 11.0))
            node.announce("Odd", around(1.0))
            assert await asyncio.wait_for(observer.stdout.readline(), 20)
            node.publish(Event("Odd", {"raw": b"\x00", "nan": float("nan"), "inf": 1e400}))
            line = json.loads(await asyncio.wait_for(observer.stdout.readline(), 20))
        assert line["parameters"] == {
            "raw": {"octets": "AA=="},
            "nan": {"double": "NaN"},
            "inf": {"double": "Infinity"},
        }
    finally:
        observer.terminate()
        await observer.communicate()


def test_a_wrong_argument_ends_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--lat", "91", "--lon", "0"]
    assert main(["publish", "--url", "mqtt://h", *where, "Speed"]) == 2
    assert "not a position" in capsys.readouterr().err


def test_no_broker_ends_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["observe", "--url", "mqtt://127.0.0.1:1"]) == 1
    assert "no broker" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "printed"),
    [(0, "FES0001 drives 83.0 km/h\n"), (1, "announced vehicle Speed\n")],
)
async def test_the_examples_of_the_document_run(broker: Broker, number: int, printed: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", blocks[number], broker.mqtt_url, stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0, err.decode()
    assert out.decode() == printed
