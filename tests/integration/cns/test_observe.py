import asyncio
import json
import sys
from typing import Any

import pytest
from eventservices.cns import structured_event
from eventservices.servers import NatsServer
from integration.cns.clients import (
    Anys,
    any_consumer,
    any_supplier,
    structured_supplier,
)
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker


async def run(*arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Run a command of the module to its end."""
    process = await start(*arguments)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, [json.loads(line) for line in out.splitlines()], err.decode()


async def start(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_an_observer_lists_what_there_is_and_tells_what_happens(
    connect: Connect, channel_name: str, server: NatsServer, eventually: Eventually
) -> None:
    channel = await (await connect("car")).open_channel(channel_name)
    receiving = await any_consumer(channel, Anys())
    supplying = await structured_supplier(channel)
    await supplying.offer_change([("Traffic", "Speed")], [])
    observer = await start(
        "-m", "eventservices.cns", "observe",
        "--url", server.url, "--channel", channel_name, "--count", "2",
    )  # fmt: skip
    assert observer.stdout is not None
    listed = json.loads(await observer.stdout.readline())
    assert json.loads(await observer.stdout.readline())["seen"] == "ready"

    await receiving.subscription_change([("Traffic", "*")], [])
    await supplying.offer_change([], [("Traffic", "Speed")])
    await (await any_supplier(channel)).push(b"\x80")
    await supplying.push_structured_event(
        structured_event(("Traffic", "Speed"), "n", filterable_data={"rate": 83.0})
    )
    out, err = await observer.communicate()
    seen = [json.loads(line) for line in out.splitlines()]

    assert observer.returncode == 0, err
    assert (listed["seen"], listed["client"]) == ("member", "car")
    assert listed["offers"] == [["Traffic", "Speed"]]
    assert listed["subscriptions"] == [["", "%ALL"]]
    assert {record["channel"] for record in seen} == {channel_name}
    changes = [record for record in seen if record["seen"].endswith("_change")]
    assert [(one["seen"], one["added"], one["removed"]) for one in changes] == [
        ("subscription_change", [["Traffic", "*"]], [["", "%ALL"]]),
        ("offer_change", [], [["Traffic", "Speed"]]),
    ]
    plain, structured = [record for record in seen if record["seen"] == "event"]
    assert plain["any"] == {"octets": "gA=="}
    assert plain["stamp"]["home"] == channel_name
    assert structured["type"] == ["Traffic", "Speed"]
    assert structured["filterable_data"] == {"rate": 83.0}


async def test_events_are_published_by_hand(
    connect: Connect, channel_name: str, server: NatsServer, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    base = ["-m", "eventservices.cns", "publish", "--url", server.url, "--channel", channel_name]

    can = await run(*base, "--can", "0x3039", "--data", "4645533030303137", "--origin", "car")
    speed = await run(
        *base, "--domain", "Traffic", "--type", "Speed", "--name", "n", "--set", "rate=83.0",
        "--value", '{"octets": "gA=="}', "--time-us", "5",
    )  # fmt: skip

    await eventually(lambda: len(consumer.got) == 2)
    assert can[0] == speed[0] == 0
    assert can[1][0]["published"]["id"].startswith("car/")
    assert speed[1][0]["published"]["time_us"] == 5
    assert consumer.values == [
        {"can_id": 12345, "extended": True, "data": b"FES00017"},
        structured_event(("Traffic", "Speed"), "n", filterable_data={"rate": 83.0}, body=b"\x80"),
    ]


@pytest.mark.parametrize(
    ("extra", "status", "words"),
    [
        (["--channel", "", "--value", "1"], 2, "channel"),
        (["--channel", "c", "--value", "{"], 2, "JSON"),
        (["--channel", "c", "--can", "1", "--data", "000000000000000000"], 2, "CAN"),
        (["--channel", "c", "--set", "rate"], 2, "NAME=JSON"),
    ],
)
async def test_wrong_arguments_are_told(
    server: NatsServer, extra: list[str], status: int, words: str
) -> None:
    found, _, err = await run("-m", "eventservices.cns", "publish", "--url", server.url, *extra)

    assert found == status
    assert words in err
    assert "Traceback" not in err
