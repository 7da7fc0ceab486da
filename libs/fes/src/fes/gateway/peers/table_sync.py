"""Exchange of request tables between neighbours whose digests differ.

The gateway that finds a difference sends a query with the digests of the buckets that its rows fall
into; the other sends the rows of the buckets that differ, in parts, to all that receive it. What
another gateway queried already is not queried again, and what an exchange did not equalise is
queried ever more rarely: a table that always differs costs little.

Source:
    design, section 4.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from fes.control.signal import Ask, Hello, Table
from fes.gateway.digest import BUCKETS, Digest
from fes.gateway.outputs import Decided
from fes.gateway.peers.absence import Touch
from fes.gateway.peers.presence import Presence
from fes.gateway.peers.signals import Signals
from fes.gateway.requests.buckets import fitting
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.row import Row
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn

PART_ROWS = 100
PART_BYTES = 64 * 1024
"""Most rows and bytes of one part; a row that is larger is a part of its own."""

PARTS = 4
"""Most parts sent at one event service between two ticks."""

RAREST = 64
"""Most hello intervals between two queries for a difference that remains."""

REMEMBERED = 1024
"""Most differences remembered; the oldest is forgotten first."""

LATELY = 4
"""Hello intervals after which a query without an answer counts as lost."""

ANSWERS = 64
"""Most answers of different gateways that are received at a time."""

_MOST_PARTS = 100_000
_POWERS = frozenset(1 << bit for bit in range(BUCKETS.bit_length()))

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Row)


@dataclass(slots=True)
class _Difference:
    """A difference between a neighbour's table and this gateway's.

    Attributes:
        due_us: When to query.
        digests: The neighbour's, at the last query.
        asks: Number of queries while they did not change.
    """

    due_us: int
    digests: tuple[int, ...] = ()
    asks: int = 0


@dataclass(slots=True)
class _Telling:
    """An answer that is being sent at an event service.

    Attributes:
        table: The message of which every part is a copy, with other rows.
        rows: Rows that are still to be sent.
        covers: The finest buckets that the answer contains.
        digest: Of the table when it began.
        began_us: When that was, uptime.
    """

    table: Table
    rows: deque[Row]
    covers: frozenset[int]
    digest: int
    began_us: int
    done: bool = False


@dataclass(slots=True)
class _Answer:
    """Parts of a table that a neighbour sends.

    Attributes:
        serial: Number of the answer.
        fits: Whether it answers a query of the digests that this gateway had.
        count: Number of its parts; 0 until the last came.
    """

    serial: int
    fits: bool = False
    count: int = 0
    names: dict[str, None] = field(default_factory=dict)
    parts: dict[int, None] = field(default_factory=dict)


class TableSync:
    """Exchanges what differs in request tables, and with it where gateways are.

    Args:
        settings: Of the gateway.
        registry: Keeps the requests.
        presence: Keeps where every gateway is.
        signals: Sends signals.
        touch: Returns whether what this gateway knows is doubtful: then it replaces its table by a
            neighbour's.
        serial: Numbers of answers begin above it.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        registry: RequestRegistry,
        presence: Presence,
        signals: Signals,
        touch: Touch,
        serial: int,
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._presence = presence
        self._signals = signals
        self._touch = touch
        self._serial = serial
        self._differences: dict[tuple[str, str], _Difference] = {}
        self._asked_us: dict[tuple[str, str], int] = {}
        self._asked_at_us: dict[str, int] = {}
        self._asked_with: dict[str, tuple[int, int]] = {}
        self._telling: dict[str, _Telling] = {}
        self._answers: dict[str, _Answer] = {}

    @property
    def away(self) -> bool:
        """Whether this gateway was out of touch for longer than the horizon."""
        return self._touch.away

    def begin(self, serial: int) -> None:
        """Begin again, as at the start of a gateway."""
        self._serial = serial
        self._differences.clear()
        self._asked_us.clear()
        self._asked_at_us.clear()
        self._asked_with.clear()
        self._telling.clear()
        self._answers.clear()

    def compare(self, hello: Hello, service: str, turn: Turn) -> None:
        """Query a neighbour for what differs, where something may be learnt from it."""
        doubtful = self._touch.doubtful
        if hello.away and not doubtful:
            return
        mine = (self._registry.table.digest, self._presence.roster.digest)
        theirs = (hello.table, hello.roster)
        place = (service, hello.gateway)
        replaces = doubtful and not hello.away
        if replaces and mine[0] == theirs[0]:
            self._touch.settle(turn.own_us)  # equal tables: this gateway missed nothing
        if mine == theirs:
            self._differences.pop(place, None)
        elif (hello.table and mine[0] != theirs[0]) or mine[1] != theirs[1] or replaces:
            self._differ(place, (*mine, *theirs), turn)

    def asked(self, ask: Ask, service: str, turn: Turn) -> None:
        """Send what differs to a neighbour that queries this gateway.

        All gateways there receive the answer: a query for what is being sent, or was just sent,
        needs no further one.
        """
        self._note_ask(service, ask.of)
        if ask.of != self._settings.id:
            return
        table, of = self._registry.table, max(1, len(ask.digests))
        if of not in _POWERS:
            turn.decide(Decided("refused", from_=service, reason=f"query with {of} buckets"))
            return
        mine, theirs = table.digests(of), ask.digests or (0,)
        buckets = tuple(bucket for bucket in range(of) if mine[bucket] != theirs[bucket])
        covers = frozenset(_fine(buckets, of))
        told = self._telling.get(service)
        if told is not None and (not told.done or self._was_told(told, covers)):
            return
        self._serial += 1
        asked = Digest()
        for each in theirs:
            asked.add(each)
        part = Table(
            self._settings.id,
            self._serial,
            0,
            0,
            self._touch.doubtful,
            (),
            tuple(self._presence.roster),
            asked.value,
            buckets,
            of,
        )
        rows = deque(table.within(buckets, of))
        now_us = self._presence.uptime_us
        self._telling[service] = _Telling(part, rows, covers, table.digest, now_us)
        self._tell(service, turn)

    def told(self, table: Table, service: str, turn: Turn) -> None:
        """Accept a part of a neighbour's table; from one in doubt only if this one is, too."""
        if table.away and not self._touch.doubtful:
            return
        before = self._registry.table.digest
        rows = []
        for raw in table.rows:
            try:
                rows.append(_decoder.decode(raw))
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                self._registry.refuse(f"row of a table: {error}", service, turn)
        new = self._registry.take_rows(tuple(rows), service, turn, doubtful=table.away)
        self.pass_on(new, service, turn)
        if self._touch.doubtful and table.serial and not table.away:
            self._replace(table, rows, before, turn)

    def pass_on(self, rows: tuple[Row, ...], service: str, turn: Turn) -> None:
        """Send rows that are new here at every event service but the one that they came from."""
        waiting = deque(rows)
        while waiting:
            part = _cut(waiting, turn.own_us)
            told = Table(self._settings.id, 0, 0, 1, self._touch.doubtful, part)
            self._signals.say_elsewhere(told, service, turn)

    def tick(self, turn: Turn) -> None:
        """Send the next parts of the answers."""
        for service in self._telling:
            self._tell(service, turn)

    def _differ(self, place: tuple[str, str], digests: tuple[int, ...], turn: Turn) -> None:
        """Send a query, unless the difference may be in transit, was queried, or remains."""
        now_us, hello_us = self._presence.uptime_us, self._settings.hello_us
        known = self._differences.get(place)
        if known is None:
            known = _Difference(now_us if digests[0] == 0 else now_us + hello_us // 2)
            self._differences[place] = known
            if len(self._differences) > REMEMBERED:
                del self._differences[next(iter(self._differences))]
        if now_us < known.due_us or not self._ask(place, turn):
            return
        known.asks = known.asks + 1 if known.digests == digests else 0
        known.digests = digests
        known.due_us = now_us + hello_us * min(1 << known.asks, RAREST)

    def _ask(self, place: tuple[str, str], turn: Turn) -> bool:
        service, gateway = place
        asked_us = self._asked_us.get(place)
        now_us = self._presence.uptime_us
        if asked_us is not None and now_us - asked_us < self._settings.hello_us // 2:
            return False
        pace_us = self._presence.neighbours.pace_us(service)
        if now_us - self._asked_at_us.get(service, -pace_us) < pace_us:
            return False
        self._note_ask(*place)
        table = self._registry.table
        self._asked_with.pop(gateway, None)
        self._asked_with[gateway] = table.digest, now_us
        if len(self._asked_with) > REMEMBERED:
            del self._asked_with[next(iter(self._asked_with))]
        digests = table.digests(fitting(len(table))) if table.digest else ()
        return self._signals.say(Ask(self._settings.id, gateway, digests), service, turn)

    def _note_ask(self, service: str, of: str) -> None:
        """Note that a gateway was queried just now; the longest ago is forgotten first."""
        self._asked_at_us[service] = self._presence.uptime_us
        self._asked_us.pop((service, of), None)
        self._asked_us[service, of] = self._presence.uptime_us
        if len(self._asked_us) > REMEMBERED:
            del self._asked_us[next(iter(self._asked_us))]

    def _was_told(self, told: _Telling, covers: frozenset[int]) -> bool:
        """Return whether all rows of some buckets were sent just now, unchanged since."""
        recent = self._presence.uptime_us - told.began_us < self._settings.hello_us // 2
        same = told.digest == self._registry.table.digest
        return recent and same and covers <= told.covers

    def _tell(self, service: str, turn: Turn) -> None:
        telling = self._telling[service]
        for _ in range(PARTS):
            if telling.done:
                return
            table = telling.table
            rows = _cut(telling.rows, turn.own_us)
            telling.done = not telling.rows
            count = table.number + 1 if telling.done else 0
            part = msgspec.structs.replace(table, rows=rows, count=count)
            self._signals.say(part, service, turn)
            telling.table = msgspec.structs.replace(table, number=table.number + 1, attendances=())

    def _replace(self, table: Table, rows: list[Row], before: int, turn: Turn) -> None:
        """Delete rows that a neighbour's table lacks, once all that differs was received."""
        answer = self._answers.get(table.gateway)
        if answer is None or answer.serial != table.serial:
            answer = self._answers[table.gateway] = _Answer(table.serial)
            if len(self._answers) > ANSWERS:
                del self._answers[next(iter(self._answers))]
        if table.number == 0:
            answer.fits = table.asked == before or self._answers_me(table)
        answer.count = table.count or answer.count
        answer.parts[table.number] = None
        answer.names.update((row.name, None) for row in rows)
        if len(answer.names) > 2 * self._settings.max_requests or len(answer.parts) > _MOST_PARTS:
            del self._answers[table.gateway]
        elif answer.fits and len(answer.parts) == answer.count:
            self._registry.drop(
                answer.names, frozenset(table.buckets), table.of, self._touch.shared_us, turn
            )
            self._answers.clear()
            self._touch.settle(turn.own_us)
            self._registry.prolong(turn)

    def _answers_me(self, table: Table) -> bool:
        """Return whether a table answers a recent query of this gateway."""
        digest, asked_us = self._asked_with.get(table.gateway, (0, 0))
        lately = self._presence.uptime_us - asked_us < LATELY * self._settings.hello_us
        if asked_us and lately and table.asked == digest:
            del self._asked_with[table.gateway]
            return True
        return False


def _cut(rows: deque[Row], own_us: int) -> tuple[msgspec.Raw, ...]:
    """Remove a part from the front of rows, bounded by count and size, with at least one row."""
    part: list[msgspec.Raw] = []
    size = 0
    while rows and len(part) < PART_ROWS:
        text = _encoder.encode(rows[0].told(own_us))
        if part and size + len(text) > PART_BYTES:
            break
        rows.popleft()
        part.append(msgspec.Raw(text))
        size += len(text)
    return tuple(part)


def _fine(buckets: tuple[int, ...], of: int) -> Iterator[int]:
    """Yield the finest buckets that some buckets consist of."""
    width = BUCKETS // of
    for bucket in buckets:
        yield from range(bucket * width, (bucket + 1) * width)
