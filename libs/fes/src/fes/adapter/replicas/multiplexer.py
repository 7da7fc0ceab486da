"""Connects an adapter with the replicas of its gateway, which appear as one gateway inside."""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final

from fes.adapter.replicas.adapter_side import Inside
from fes.adapter.replicas.addressing import place_of
from fes.adapter.replicas.desired import ALONE, Said, Unsaid
from fes.adapter.replicas.dispatch import FULL, Handing
from fes.adapter.replicas.membership import REQUEST, Place, Views
from fes.adapter.replicas.merged_state import Change, Wants
from fes.adapter.replicas.replica_link import Line
from fes.adapter.replicas.rows import Rows
from fes.control import is_signal
from fes.link.end import Message
from fes.link.messages import (
    Announce,
    Confirmed,
    Counted,
    Desired,
    Done,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Subscribe,
    Taken,
    Unannounce,
    Unsubscribe,
    View,
)
from fes.model import Event

TICK_S: Final = 0.5
"""How often waiting messages are checked."""

QUIET_TICK_S: Final = 2.0
"""The same while all goes straight to a gateway without replicas: then nothing waits."""

NOT_ITS: Final = "not its replica"


class Multiplexer:
    """Connects an adapter with every replica of its gateway.

    To a gateway without replicas all is sent unchanged.

    Args:
        inside: The adapter.
        now_s: Monotonic clock, seconds.

    Attributes:
        beyond: Number of addresses of replicas that are not dialled, since they are too many.
    """

    def __init__(self, inside: Inside, now_s: Callable[[], float] = time.monotonic) -> None:
        self.beyond = 0
        self._inside = inside
        self._now_s = now_s
        self._lines: dict[Line, None] = {}
        self._open: dict[str, Line] = {}
        self._views = Views()
        self._wants = Wants()
        self._handing = Handing(self._open, self._views, self._wants, inside, now_s)
        self._rows = Rows()
        self._main: Line | None = None
        self._straight: Callable[[Message], bool] | None = None

    def line(self) -> Line:
        """Return the receiver of a link to one more replica."""
        return Line(self)

    @property
    def linked(self) -> bool:
        """Whether the replica that leads is linked, or the gateway that has no replicas."""
        return self._main is not None

    @property
    def attached(self) -> bool:
        """Whether any replica accepted its link."""
        return any(line.whole for line in self._lines)

    @property
    def counters(self) -> dict[str, int]:
        """Links, messages that wait now, and messages dropped so far, by reason."""
        return {
            "replica_links": len(self._open),
            "replicas_beyond": self.beyond,
            **self._handing.counters,
        }

    def hear(self, heard: Heard) -> bool:
        """Send an event to its replica; return False where it must be delivered again."""
        if self._straight is not None:
            return self._open[ALONE].send(heard) if heard.token else self._straight(heard)
        leads = heard.persistent or heard.token != 0
        return self._handing.hand(heard, Place(leads, heard.stamp.origin))

    def hear_control(self, control: HeardControl, event: Event) -> bool:
        """Send a control event, decoded as `event`; return False where it was not accepted."""
        if self._straight is not None:
            return self._straight(control)
        if is_signal(event):
            return _send_all(self._open.values(), control)
        return self._handing.hand(control, place_of(control, event))

    def ask(self, request: Message) -> bool:
        """Send a request of the adapter's own; return False where it must be made again."""
        line = self._handing.line_of(REQUEST)
        return line is not None and line.send(request)

    def answer(self, message: Done | Confirmed) -> bool:
        """Report what was done or published to the replicas that ordered it."""
        if isinstance(message, Done):
            return self._tell(self._wants.note(message))
        line = self._open.get(self._rows.confirmed(message.row)) or self._handing.line_of(REQUEST)
        return line is not None and line.send(message)

    def tell(self, counted: Counted) -> bool:
        """Send the adapter's counters and state to all replicas."""
        return _send_all(self._lines, counted)

    def whole(self) -> Desired:
        """Return the whole merged state, for an adapter that has none of it any more."""
        return self._wants.whole()

    async def run(self) -> None:
        """Call `tick` periodically, until cancelled."""
        while True:
            await asyncio.sleep(TICK_S if self._straight is None else QUIET_TICK_S)
            self.tick()

    def tick(self) -> None:
        """Drop what waits for too long.

        Accept an older view where no member of the newest is linked.
        """
        self._handing.expire()
        if self._views.see(self._open, self._now_s()):
            self._settle()

    def up(self, line: Line, *, at_once: bool) -> None:
        """Accept a link that can be used."""
        self._lines[line] = None
        if at_once:
            self._open[line.replica] = line
            self._settle()

    def down(self, line: Line) -> None:
        """Accept a link that broke.

        Its desired state stays, what it did not answer is delivered again.
        """
        del self._lines[line]
        self._close(line)
        self._settle()

    def receive(self, line: Line, message: Message) -> None:
        """Process a message of a replica."""
        match message:
            case Publish() | PublishControl():
                self._ordered(line, message)
            case Taken():
                self._taken(line, message)
            case View():
                self._viewed(line, message)
            case Desired():
                self._whole(line, message)
            case Subscribe() | Unsubscribe() | Announce() | Unannounce():
                self._wanted(line, message)

    def displaced(self, line: Line, message: Message) -> None:
        """Accept a sent message that was dropped for a more urgent one.

        Its service delivers it again.
        """
        self._handing.drop(message, "displaced", FULL)
        if isinstance(message, Heard) and message.token:
            self._taken(line, Taken(message.token, taken=False))

    def _viewed(self, line: Line, view: View) -> None:
        said: Desired | None = None
        if line.replica != view.replica:
            said = self._wants.said(line.replica) if line.whole else None
            self._close(line)  # it counted as a gateway without replicas, or changed its name
            line.replica, line.whole = view.replica, False
        line.view = view
        self._views.take(view, self._now_s())
        if said is None:
            self._settle()
        else:
            self._whole(line, said)

    def _whole(self, line: Line, desired: Desired) -> None:
        line.whole = True
        self._open[line.replica] = line
        self._perform(self._wants.say(line.replica, desired))
        self._settle()

    def _wanted(self, line: Line, order: Said | Unsaid) -> None:
        if self._open.get(line.replica) is line:
            self._perform(self._wants.say(line.replica, order))
            self._choose()

    def _close(self, line: Line) -> None:
        self._views.see(self._open, self._now_s())
        if self._main is line:
            self._main = None
        if self._open.get(line.replica) is line:
            del self._open[line.replica]
            if line.replica == ALONE:
                self._straight = None
        self._give_back(line)

    def _give_back(self, line: Line) -> None:
        """Request again what a replica did not acknowledge.

        Its answers mean nothing from now on.
        """
        for token in line.pending.give_up():
            self._inside.acknowledgements.answered(token, taken=False)

    def _settle(self) -> None:
        """Update everything to the links and the newest view."""
        if len(self._open) == 1 and ALONE in self._open:
            self._views.forget()
        self._views.see(self._open, self._now_s())
        self._views.confirm(line.view for line in self._open.values())
        self._release()
        alone = self._views.newest is None and ALONE in self._open
        living = frozenset((ALONE,)) if alone else self._views.living
        if living is not None and not self._wants.knows(living):
            living = None  # no desired state of these is known yet: those known before count
        self._perform(self._wants.count(living, {line.replica for line in self._lines}))
        self._choose()
        self._handing.flush()
        self._lead()

    def _release(self) -> None:
        """Wait for acknowledgements only of the replica that leads.

        What another replica still has to acknowledge is delivered again, before anything newer goes
        to the one that leads. Where the other did commit it, the journal records that.
        """
        leader = self._handing.line_of(REQUEST)
        for line in self._lines:
            if line is not leader and self._views.newest is not None:
                self._give_back(line)

    def _choose(self) -> None:
        """Send all unchanged where that is possible."""
        line = self._open.get(ALONE) if self._views.newest is None else None
        same = line is not None and self._wants.is_same(ALONE)
        self._straight = line.end.send if line is not None and line.end and same else None

    def _lead(self) -> None:
        line = self._handing.line_of(REQUEST)
        if line is not self._main:
            self._main = line
            if line is not None:
                self._inside.linked()

    def _ordered(self, line: Line, order: Publish | PublishControl) -> None:
        if self._views.newest is None or self._views.may_order(line.replica, order):
            if isinstance(order, Publish) and order.row:
                self._rows.ordered(order.row, line.replica)
            self._inside.take(order)
            return
        self._handing.drop(order, "fenced", NOT_ITS)
        if isinstance(order, Publish) and order.row:
            line.send(Confirmed(order.row, NOT_ITS, retryable=True))

    def _taken(self, line: Line, taken: Taken) -> None:
        for each in line.pending.answered(taken):
            self._inside.acknowledgements.answered(each.token, taken=each.taken)

    def _perform(self, change: Change) -> None:
        for order in change.orders:
            self._inside.take(order)
        self._tell(change.answers)

    def _tell(self, answers: list[tuple[str, Done]]) -> bool:
        taken = False
        for replica, done in answers:
            line = self._open.get(replica)
            taken = (line is not None and line.send(done)) or taken
        return taken


def _send_all(lines: Iterable[Line], message: Message) -> bool:
    taken = [line.send(message) for line in lines]
    return any(taken)
