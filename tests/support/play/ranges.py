"""Plays a range of seeds in several processes; goes on after a seed that breaks a promise.

python -m support.play.ranges federations|towns [--first N] [--count N] [--processes N]

From the folder `tests`. Without `--first` the range is one that nobody has played: the second half
of today's million, of which CI plays the first. Every broken seed is listed at the end, and the
exit status is 1 where there is any.
"""

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from support.play.fresh import A_DAY, fresh_seed
from support.play.replay import play
from support.replicas.judge import violations as broken_in
from support.replicas.play import played, town_of

KINDS = ("federations", "towns")
CHUNK = 50
"""Seeds that a process plays before it tells what came of them."""

EVERY_S = 10.0
"""Seconds between two lines of progress."""

SHOWN = 300
"""Most characters shown of a broken promise."""


@dataclass
class Played:
    """What came of some seeds.

    Attributes:
        seeds: How many were played.
        events: How many events were published.
        faults: How often each kind of fault was injected.
        broken: Seed, and the first promise it broke.
    """

    seeds: int = 0
    events: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Played") -> None:
        """Add what came of other seeds."""
        self.seeds += other.seeds
        self.events += other.events
        self.faults += other.faults
        self.broken += other.broken


def play_seeds(kind: str, seeds: Sequence[int]) -> Played:
    """Play some seeds, each to its end, whatever becomes of the others."""
    done = Played()
    for seed in seeds:
        try:
            broken = _federation(seed, done) if kind == "federations" else _town(seed, done)
        except Exception as error:  # noqa: BLE001 - whatever a seed raises is one of its faults
            broken = [f"raised: {error!r}"]
        done.seeds += 1
        if broken:
            done.broken.append((seed, f"{broken[0][:SHOWN]} ({len(broken)} broken)"))
    return done


def main(arguments: Sequence[str]) -> int:
    """Play a range and say what came of it; return the exit status."""
    asked = _parsed(arguments)
    seeds = range(asked.first, asked.first + asked.count)
    _say(f"{asked.count:,} {asked.kind}: seeds {seeds.start} to {seeds.stop - 1}")
    _say(f"the same again: --first {seeds.start} --count {asked.count}")
    done, began_s = Played(), time.monotonic()
    told_s = began_s
    for part in _parts(asked.kind, seeds, asked.processes):
        done.add(part)
        for seed, what in part.broken:
            _say(f"broken: {seed} {what}")
        if time.monotonic() - told_s >= EVERY_S:
            told_s = time.monotonic()
            _say(_progress(done, asked.count, told_s - began_s))
    _say(_progress(done, asked.count, time.monotonic() - began_s))
    _conclude(asked.kind, done)
    return 1 if done.broken else 0


def command(kind: str, seed: int) -> str:
    """Return the command that plays a seed again."""
    if kind == "federations":
        return f"cd tests && ../.venv/bin/python -m support.play.replay {seed}"
    return f"FES_FIRST_SEED={seed} FES_SEEDS=1 pytest tests/simulation/test_replicas.py"


def _federation(seed: int, done: Played) -> list[str]:
    world, script, broken = play(seed)
    done.events += len(script.events)
    done.faults += world.faults
    return broken


def _town(seed: int, done: Played) -> list[str]:
    ended = played(town_of(seed), seed)
    done.faults += ended.town.faults
    return broken_in(ended)


def _parts(kind: str, seeds: range, processes: int) -> Iterator[Played]:
    chunks = [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]
    if processes == 1:
        yield from (play_seeds(kind, chunk) for chunk in chunks)
        return
    with ProcessPoolExecutor(processes, initializer=_settle) as pool:
        for each in as_completed([pool.submit(play_seeds, kind, chunk) for chunk in chunks]):
            yield each.result()


def _settle() -> None:
    """Have the collector look at what a world leaves, not at what was imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


def _progress(done: Played, count: int, taken_s: float) -> str:
    rate = done.seeds / taken_s if taken_s else 0.0
    return f"{done.seeds:,} of {count:,}, {rate:.1f} a second, {len(done.broken)} broken"


def _conclude(kind: str, done: Played) -> None:
    _say(f"{done.events:,} events, and of faults" if done.events else "of faults")
    for name, count in sorted(done.faults.items()):
        _say(f"{count:10,} {name}")
    for seed, what in sorted(done.broken):
        _say(f"broken: {seed} {what}")
        _say(f"    {command(kind, seed)}")


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="support.play.ranges", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--first", type=int, default=fresh_seed() + A_DAY // 2)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
