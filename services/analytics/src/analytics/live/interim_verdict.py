"""An interim verdict: the verdict on a run so far, and how far that is."""

from dataclasses import dataclass, field
from pathlib import Path

from analytics.inputs.folder import numbered
from analytics.inputs.remains import Remains
from analytics.live.kept.state import State
from analytics.live.reading.segment import KINDS, End
from analytics.traffic.checks import Silence
from analytics.traffic.conclusions import Counted, rule
from analytics.traffic.found import Findings, together
from analytics.traffic.incomplete import incomplete
from analytics.traffic.job import Offender, about_scopes
from analytics.traffic.run import RunData
from analytics.traffic.witnesses import Testimony
from analytics.verdict import Example, Verdict

PASS, FAIL, WAITING = "pass", "fail", "waiting"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the judge came.

    Attributes:
        batch: Number of the last batch.
        now_us: When it was read, wall clock.
        ended: Nothing grows any more, and all is judged: the verdict is final unless it goes on.
        judged_until_us: All events that were seen before are in the verdict, wall clock.
        events_waiting: Events that are not in it yet, or not in the light of all that is known.
        bytes_waiting: What could have been read and was not.
        files: How many were seen.
        lines: How many were read.
        unreadable: How many of them are broken.
        too_late: How many were about events that had been abandoned.
        dropped: How many control lines were too many to be kept.
    """

    batch: int
    now_us: int
    ended: bool
    judged_until_us: int
    events_waiting: int
    bytes_waiting: int
    files: int
    lines: int
    unreadable: int
    too_late: int
    dropped: int


@dataclass(frozen=True, slots=True)
class InterimVerdict:
    """What is to be said of a run at one time.

    Attributes:
        progress: How far that goes.
        verdict: None where an input cannot be understood.
        fault: Why not, else empty.
        offenders: The newest, in the order of time.
    """

    progress: Progress
    verdict: Verdict | None
    fault: str
    offenders: tuple[Offender, ...]

    @property
    def word(self) -> str:
        """`pass`, `fail`, or `waiting` while nothing was expected and nothing is wrong."""
        if self.verdict is None:
            return FAIL
        if self.verdict.passed:
            return PASS
        return WAITING if self._is_blank(self.verdict) else FAIL

    def _is_blank(self, verdict: Verdict) -> bool:
        expected = verdict.reports.expected
        wrong = verdict.reports.unexpected + verdict.reports.duplicate
        broken = any(promise.offending for promise in verdict.promises)
        return not (self.progress.ended or expected or wrong or broken)


def progress(state: State, end: End) -> Progress:
    """Return how far the judge came with a batch."""
    waiting = [state.windows[number] for number in state.stale]
    return Progress(
        batch=end.number,
        now_us=end.now_us,
        ended=end.quiet and not waiting,
        judged_until_us=min([end.now_us, *(one.first_us for one in waiting)]),
        events_waiting=sum(one.events for one in waiting),
        bytes_waiting=end.waiting,
        files=len(end.files),
        lines=state.lines,
        unreadable=state.unreadable,
        too_late=state.too_late,
        dropped=state.control.dropped,
    )


@dataclass(frozen=True, slots=True)
class Control:
    """What was found of the control plane as a whole; observers testify once the run has ended."""

    found: Findings
    quiet: Silence
    commands: int
    kills: int
    testimony: Testimony = field(default_factory=Testimony)


def verdict_so_far(data: RunData, state: State, end: End, control: Control) -> Verdict:
    """Return the verdict on what has been judged.

    Args:
        data: The run.
        state: What the judge remembers.
        end: How far the reading came.
        control: What was found of the control plane.
    """
    ended = progress(state, end).ended
    found = [state.given_up, state.ordered, control.found]
    remains = _remains(state, end)
    cut_short = incomplete(remains, state.summary, data.federation, data.outages, running=not ended)
    lost = [Example(remains.files[name], "", "was removed before it was read") for name in end.lost]
    counted = Counted(
        tally=state.tally,
        found=together([*found, *(window.found for window in state.windows.values())]),
        cut_short=[*cut_short, *lost],
        quiet=control.quiet,
        commands=control.commands,
        kills=control.kills,
        files=len(remains.files),
        witnessed=control.testimony.findings,
        who_looked=control.testimony.who_looked,
        scopes=about_scopes(data) if ended else (),
    )
    return rule(data, counted)


def _remains(state: State, end: End) -> Remains:
    broken: dict[str, set[int]] = {}
    for places in state.broken.values():
        for file, line in places:
            broken.setdefault(file, set()).add(line)
    own = [name for name in KINDS if name in end.files]
    logs = sorted(set(end.files) - set(own), key=lambda name: numbered(Path(name)))
    return Remains(
        files={name: end.files[name] for name in [*own, *logs]},
        unended=end.unended,
        broken={name: frozenset(lines) for name, lines in broken.items()},
    )
