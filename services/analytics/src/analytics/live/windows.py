"""Windows of a run are judged, by the same rules as a finished run."""

from typing import Final

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.inputs.files import Files
from analytics.live.kept.state import Caught, State
from analytics.promises.findings import ranked
from analytics.traffic.checks import breaches_of_events
from analytics.traffic.evidence import gather
from analytics.traffic.found import parts
from analytics.traffic.job import Offender, caught
from analytics.traffic.run import RunData
from analytics.traffic.tally import Tally, counted, tallies
from analytics.verdict import EXAMPLES

RESULTS: Final = "results"
SHOWN: Final = 500
"""Most offenders that are shown; the newest."""


def judge_windows(
    data: RunData, rows: DataFrame, due: list[int], files: Files, state: State
) -> None:
    """Judge windows; the results replace those of an earlier judgement.

    Args:
        data: Its logs contain all lines about the events of these windows, and no others.
        rows: These lines: `id`, and `part`, the window.
        due: The windows.
        files: Where results are kept.
        state: Is told.
    """
    whose = rows.select("id", "part").distinct().localCheckpoint()
    evidence = gather(data)
    breaches = breaches_of_events(data, evidence).join(whose, "id")
    wrong = parts(ranked(breaches, EXAMPLES).collect())
    numbers = tallies(counted(evidence, whose).collect())
    for number in due:
        window = state.windows[number]
        window.found = wrong.get(number, {})
        _replace(number, numbers.get(number, Tally()), files, state)
    told = caught(evidence.judged).join(whose, "id").orderBy(fn.desc("time")).limit(SHOWN)
    _show(told, due, state)


def _replace(number: int, tally: Tally, files: Files, state: State) -> None:
    window = state.windows[number]
    if window.judged:
        old = files.read(result_path(number, window.judged))
        state.tally.add(msgspec.json.decode(old, type=Tally), -1)
    files.write(result_path(number, state.number), msgspec.json.encode(tally))
    state.tally.add(tally)
    window.judged, window.stale = state.number, False


def _show(told: DataFrame, due: list[int], state: State) -> None:
    kept = [one for one in state.offenders if one.window not in due]
    for row in told.collect():
        members = row.asDict()
        members.pop("id")
        kept.append(Caught(members.pop("part"), Offender(**members)))
    kept.sort(key=lambda one: one.offender.time)
    state.offenders = kept[-SHOWN:]


def result_path(window: int, batch: int) -> str:
    """Return where the tally of a window is kept, as it was judged in a batch."""
    return f"{RESULTS}/{window:08d}-{batch:08d}.json"
