"""Logs on a bus: every odd line, every format, at the log's pace."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import can
import pytest
from eventservices.canlog import Kind, LogFrame, LogNotes, LogWriter, kind_of, read_frames
from eventservices.cosmic import Bus, Frame, NodeSettings
from eventservices.cosmic.__main__ import main
from eventservices.cosmic.replay import Recorder, replay
from fes.testing.eventually import eventually
from support.processes.canbus import multicast, virtual

ODD = (Path(__file__).parent / "odd_lines.txt").read_text("utf-8").splitlines()[1:]
CASES = [tuple(part.rstrip("\n") for part in row.split(" |", 1)) for row in ODD]
SHARED = Path(__file__).parents[4] / "shared/data/can"
FORMATS = ("log", "asc", "blf", "trc")


def raw(text: str) -> bytes:
    """Return a line's bytes, with what a text file would hide written out."""
    return text.removeprefix(" ").replace("{CR}", "\r").replace("{END}", "").encode() + b"\n"


def frames_of(data: bytes, notes: LogNotes | None = None) -> Iterator[LogFrame]:
    return read_frames(io.BytesIO(data), "candump", notes or LogNotes())


def told(frame: Frame) -> str:
    identifier = f"{frame.can_id:08X}" if frame.extended else f"{frame.can_id:03X}"
    return f"data {identifier} {frame.data.hex().upper()}"


@pytest.mark.parametrize(("becomes", "line"), CASES, ids=[line.strip()[:40] for _, line in CASES])
async def test_each_odd_line_becomes_what_is_right_on_the_bus(becomes: str, line: str) -> None:
    notes, heard = LogNotes(), []
    async with Bus(virtual()) as bus:
        bus.monitors.append(lambda frame: heard.append(told(frame)))
        node = bus.node(NodeSettings("player", 9))
        done = await replay(frames_of(raw(line), notes), node, bus, speed=0)
        await bus.probe()
    counted = {
        "remote": done.remote,
        "error": done.errors,
        "too_long": done.too_long,
        "broken": notes.counts["broken_line"],
    }
    data = [each for each in heard if not each.startswith("data 1FA00006")]  # the probe
    if becomes.startswith("data"):
        assert data == [becomes]
    else:
        assert data == []
        assert counted == {
            **dict.fromkeys(counted, 0),
            **({becomes: 1} if becomes != "nothing" else {}),
        }


async def test_a_whole_odd_log_is_replayed_in_its_order() -> None:
    notes, heard = LogNotes(), []
    data = b"".join(raw(line) for _, line in CASES)
    async with Bus(virtual()) as bus:
        bus.monitors.append(lambda frame: heard.append(told(frame)))
        done = await replay(frames_of(data, notes), bus.node(NodeSettings("p", 9)), bus, speed=0)
        await eventually(lambda: len(heard) == done.sent)
    assert heard == [becomes for becomes, _ in CASES if becomes.startswith("data")]
    assert notes.counts["short_fraction"] == 1
    assert done.backwards == 4


@pytest.mark.skipif(not SHARED.exists(), reason="the recorded data is not here")
async def test_the_odd_lines_that_were_found_in_the_field_are_read_as_is_right() -> None:
    notes, heard = LogNotes(), []
    path = SHARED / "odd/odd_lines.candump.log"
    async with Bus(virtual()) as bus:
        bus.monitors.append(lambda frame: heard.append(told(frame)))
        with path.open("rb") as stream:
            frames = read_frames(stream, kind_of(path.name), notes)
            done = await replay(frames, bus.node(NodeSettings("p", 9)), bus, speed=0)
        await eventually(lambda: len(heard) == done.sent)
    assert (done.sent, done.remote, done.errors, done.too_long) == (22, 3, 3, 2)
    assert notes.counts == {"broken_line": 4, "short_fraction": 1}


async def test_the_pace_is_held_against_the_start_and_never_backwards() -> None:
    clock_s, slept = [0.0], []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        clock_s[0] += seconds + 0.004  # every sleep is too long

    times_s = (100.0, 100.5, 99.0, 101.0, 101.0002)
    frames = [LogFrame(round(s * 1e6), "c", 5, extended=False) for s in times_s]
    async with Bus(virtual()) as bus:
        node = bus.node(NodeSettings("p", 9))
        done = await replay(frames, node, bus, speed=2.0, now_s=lambda: clock_s[0], sleep=sleep)
    assert slept == [0.25, 0.246]
    assert (done.sent, done.backwards) == (5, 1)


@pytest.mark.parametrize("suffix", FORMATS)
async def test_what_was_recorded_is_read_back_the_same(suffix: str, tmp_path: Path) -> None:
    path, sent = tmp_path / f"bus.{suffix}", [
        Frame(12345, b"FES0001\x37"),
        Frame(0x7FF, b"", extended=False),
        Frame(0x1FFFFFFF, b"\0"),
        Frame(0x100, bytes(8), extended=False),
    ]  # fmt: skip
    async with Bus(virtual()) as bus:
        node = bus.node(NodeSettings("p", 9))
        with LogWriter(path) as writer, Recorder(bus, writer) as recorder:
            for frame in sent:
                node.send_frame(frame)
            await eventually(lambda: recorder.recorded == len(sent))
    with path.open("rb") as stream:
        back = list(read_frames(stream, kind_of(path.name), LogNotes()))
    assert sorted((f.can_id, f.data, f.extended) for f in back) == sorted(f[:3] for f in sent)
    assert all(frame.kind is Kind.DATA for frame in back)


async def test_a_recorder_ends_at_its_limit(tmp_path: Path) -> None:
    async with Bus(virtual()) as bus:
        node = bus.node(NodeSettings("p", 9))
        with LogWriter(tmp_path / "x.log") as writer, Recorder(bus, writer, most=2) as recorder:
            for _ in range(5):
                node.send_frame(Frame(5, b"", extended=False))
            await eventually(lambda: recorder.skipped == 3)
    assert writer.frames == 2


async def test_python_can_reads_what_we_recorded(tmp_path: Path) -> None:
    path = tmp_path / "bus.log"
    async with Bus(virtual()) as bus:
        node = bus.node(NodeSettings("p", 9))
        with LogWriter(path) as writer, Recorder(bus, writer) as recorder:
            node.send_frame(Frame(12345, b"FES0001\x37"))
            await eventually(lambda: recorder.recorded)
    (message,) = can.CanutilsLogReader(path)
    assert (message.arbitration_id, bytes(message.data)) == (12345, b"FES0001\x37")


def test_the_command_replays_a_log_and_tells_what_became_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "odd.log"
    log.write_bytes(b"".join(raw(line) for _, line in CASES))
    port = str(multicast().interface.port)
    assert main(["replay", "--port", port, "--speed", "0", str(log)]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["remote"], summary["errors"], summary["broken_line"]) == (4, 3, 7)


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", "--port", "0", "x.log"],
        ["replay", "no such file.log"],
        ["observe", "--interface", "virtual", "--etag", "Speed=99"],
        ["replay", "--node", "127", "x.log"],
    ],
)
def test_a_bad_argument_ends_the_command_with_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


async def test_the_command_shows_what_is_on_a_bus() -> None:
    import asyncio  # noqa: PLC0415 - only this test starts a process

    port = str(multicast().interface.port)
    base = (sys.executable, "-m", "eventservices.cosmic")
    watch = await asyncio.create_subprocess_exec(
        *base, "observe", "--port", port, "--hashed", "Speed", "Hot", stdout=asyncio.subprocess.PIPE
    )
    assert watch.stdout is not None
    seen: list[dict[str, object]] = []

    async def says() -> bool:
        say = await asyncio.create_subprocess_exec(
            *base, "publish", "--port", port, "--hashed", "--node", "3", "Speed", "c0ffee"
        )
        assert await say.wait() == 0
        assert watch.stdout is not None
        with_timeout = asyncio.wait_for(watch.stdout.readline(), 1.0)
        try:
            seen.append(json.loads(await with_timeout))
        except TimeoutError:
            return False
        return True

    await eventually(says, 30.0)
    while seen[-1]["seen"] != "event":
        seen.append(json.loads(await asyncio.wait_for(watch.stdout.readline(), 10.0)))
    watch.terminate()
    await watch.wait()
    assert seen[0]["seen"] == "frame"
    assert (seen[-1]["subject"], seen[-1]["content"]) == ("Speed", "c0ffee")
