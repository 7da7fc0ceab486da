"""Corruptions of a run folder: each does one named wrong to it, and says where it must be seen.

python -m support.judge.corrupt NAME FOLDER [SEED]    (from the folder `tests`; changes FOLDER)
"""

import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from support.judge.runs import Line, apart_m, read_lines, write_lines

DOUBT_US = 1_500_000
"""So long before and after a command either outcome may be right."""


@dataclass(frozen=True)
class Wrong:
    """What was done: the promise that it breaks, and the ids (or the file) that must be named."""

    promise: str
    named: tuple[str, ...]


class Folder:
    """A run folder to be corrupted.

    Args:
        path: The folder.
        seed: Decides which event is chosen.
    """

    def __init__(self, path: Path, seed: int = 0) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.deliveries = read_lines(path / "offenders.jsonl")
        frames = read_lines(path / "ground_truth.jsonl")
        self.truth = [line for line in frames if line.get("sent", True)]
        self.commands = read_lines(path / "commands.jsonl")
        self.limits = [line["limit"] for line in self.commands]
        federation: dict[str, Any] = yaml.safe_load((path / "federation.yaml").read_text("utf-8"))
        services = federation["event_services"]
        self.stations = {
            name.removeprefix("steam-m-"): service["settings"]
            for name, service in services.items()
            if name.startswith("steam-m-")
        }

    def far_m(self, frame: Line, monitor: str) -> float:
        """Return how far a frame was sent from a monitor, metres."""
        location = self.stations[monitor]["location"]
        return apart_m((frame["lat"], frame["lon"]), (location["lat"], location["lon"]))

    def heard_by(self, frame: Line) -> list[str]:
        """Return the monitors that a frame is well in range of, by half of their range."""
        return [m for m, s in self.stations.items() if self.far_m(frame, m) < s["range_m"] / 2]

    def outside(self, frame: Line) -> list[str]:
        """Return the monitors that a frame is well out of range of, the nearest first."""
        far = [m for m, s in self.stations.items() if self.far_m(frame, m) > s["range_m"] + 50]
        return sorted(far, key=lambda monitor: self.far_m(frame, monitor))

    def frame(self, identity: str) -> Line:
        """Return the frame of an event."""
        return next(line for line in self.truth if line["id"] == identity)

    def owed(self) -> list[int]:
        """Return the indexes of the deliveries while which no limit was changed in their range."""
        frames = {line["id"]: line for line in self.truth}
        told = enumerate(self.deliveries)
        return [index for index, line in told if not self._in_doubt(frames[line["id"]])]

    def _in_doubt(self, frame: Line) -> bool:
        changes = [
            line
            for line in self.commands
            if line["action"] != "renew"
            and line["sent_us"] - DOUBT_US < frame["wall_us"]
            and (line["applied_us"] is None or frame["wall_us"] < line["applied_us"] + DOUBT_US)
        ]
        return any(
            self.far_m(frame, line["monitor"]) <= self.stations[line["monitor"]]["range_m"]
            for line in changes
        )

    def silent(self) -> list[Line]:
        """Return the frames of which nothing was delivered."""
        told = {line["id"] for line in self.deliveries}
        return [line for line in self.truth if line["id"] not in told]

    def deliver(self, frame: Line, monitor: str) -> None:
        """Add a delivery of a frame that is right in all but that it is there."""
        sample = self.deliveries[0]
        home = sample["path"][0].replace(sample["vehicle"], frame["licence"])
        air = sample["path"][1].replace(sample["vehicle"], frame["licence"])
        line = {
            **sample,
            "wall_us": frame["wall_us"] + 20_000,
            "time_us": frame["time_us"],
            "id": frame["id"],
            "monitor": monitor,
            "vehicle": frame["licence"],
            "rate": float(frame["rate"]),
            "path": [home, air, f"steam-m-{monitor}"],
        }
        self.deliveries.append(line)
        self.deliveries.sort(key=lambda delivery: delivery["wall_us"])

    def save(self) -> None:
        """Write the deliveries back."""
        write_lines(self.path / "offenders.jsonl", self.deliveries)


def lost(run: Folder) -> Wrong:
    """Lose an event."""
    victim = run.deliveries.pop(run.chance.choice(run.owed()))
    return Wrong("nothing asked for is lost", (victim["id"],))


def doubled(run: Folder) -> Wrong:
    """Deliver an event twice."""
    index = run.chance.randrange(len(run.deliveries))
    run.deliveries.insert(index, dict(run.deliveries[index]))
    return Wrong("at most once per destination", (run.deliveries[index]["id"],))


def below_limit(run: Folder) -> Wrong:
    """Deliver an event that is below every limit."""
    slow = [line for line in run.silent() if line["rate"] <= min(run.limits) and run.heard_by(line)]
    frame = run.chance.choice(slow)
    run.deliver(frame, run.heard_by(frame)[0])
    return Wrong("nothing is delivered unasked", (frame["id"],))


def out_of_range(run: Folder) -> Wrong:
    """Deliver an event that no monitor could hear."""
    everywhere = len(run.stations)
    fast = [line for line in run.silent() if line["rate"] > max(run.limits)]
    away = [line for line in fast if len(run.outside(line)) == everywhere]
    frame = run.chance.choice(away)
    run.deliver(frame, run.outside(frame)[0])
    return Wrong("nothing is delivered unasked", (frame["id"],))


def invented(run: Folder) -> Wrong:
    """Deliver an event that was never sent."""
    line = dict(run.chance.choice(run.deliveries))
    origin, epoch, sequence = line["id"].rsplit("/", 2)
    line["id"] = f"{origin}/{epoch}/{int(sequence) + 1_000_000}"
    run.deliveries.append({**line, "wall_us": run.deliveries[-1]["wall_us"] + 1})
    return Wrong("nothing is delivered unasked", (line["id"],))


def wrong_monitor(run: Folder) -> Wrong:
    """Name a monitor that could not hear the event, in the path too."""
    able = [line for line in run.deliveries if run.outside(run.frame(line["id"]))]
    line = run.chance.choice(able)
    line["monitor"] = run.outside(run.frame(line["id"]))[0]
    line["path"] = [*line["path"][:2], f"steam-m-{line['monitor']}"]
    return Wrong("nothing is delivered unasked", (line["id"],))


def swapped(run: Folder) -> Wrong:
    """Swap two deliveries of one origin that came the same way."""
    ways: dict[tuple[str, ...], list[int]] = {}
    for index, line in enumerate(run.deliveries):
        way = (line["id"].rsplit("/", 1)[0], *line["path"])
        ways.setdefault(way, []).append(index)
    first, second = run.chance.choice([indexes for indexes in ways.values() if len(indexes) > 1])[
        :2
    ]
    lines = run.deliveries
    lines[first], lines[second] = lines[second], lines[first]
    return Wrong("order of each origin is kept", (lines[first]["id"], lines[second]["id"]))


def cut_short(run: Folder) -> Wrong:
    """Cut an event log in the middle of a line near its end."""
    path = max((run.path / "logs").glob("eventlog-*.jsonl"), key=lambda file: file.stat().st_size)
    text = path.read_bytes()
    end = text.rstrip(b"\n").rfind(b"\n")
    path.write_bytes(text[: end + 1 + math.ceil((len(text) - end) / 2)])
    return Wrong("logs are complete", (path.name,))


CORRUPTIONS: dict[str, Callable[[Folder], Wrong]] = {
    corruption.__name__: corruption
    for corruption in (
        lost,
        doubled,
        below_limit,
        out_of_range,
        invented,
        wrong_monitor,
        swapped,
        cut_short,
    )
}
"""The corruptions by name."""


def corrupt(path: Path, name: str, seed: int = 0) -> Wrong:
    """Do one wrong to a run folder.

    Args:
        path: The folder; it is changed.
        name: A key of `CORRUPTIONS`.
        seed: Decides which event is chosen.

    Returns:
        What was done.
    """
    run = Folder(path, seed)
    wrong = CORRUPTIONS[name](run)
    run.save()
    return wrong


if __name__ == "__main__":
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    sys.stdout.write(f"{corrupt(Path(sys.argv[2]), sys.argv[1], seed)}\n")
