"""Exchange of request tables between neighbours whose digests differ.

The one that finds a difference asks; the one that is asked tells its table, in parts, to all who
hear it. What somebody else asked for already is not asked for again, and what an exchange did not
mend is asked for ever more rarely: a table that differs for good costs little.

Source:
    design, section 4.
"""

from collections import deque
from dataclasses import dataclass, field

import msgspec

from fes.control.signal import Ask, Hello, Table
from fes.gateway.presence import Presence
from fes.gateway.settings import GatewaySettings
from fes.gateway.signalling import Signalling
from fes.gateway.standing import Standing
from fes.gateway.table import Row
from fes.gateway.turn import Turn

PART_ROWS = 100
PART_BYTES = 64 * 1024
"""Most rows and bytes of one part."""

PARTS = 4
"""Most parts told at one event service between two ticks."""

RAREST = 64
"""Most hello intervals between two asks for a difference that does not go."""

REMEMBERED = 1024
"""Most differences remembered; the oldest goes first."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Row)


@dataclass(slots=True)
class _Difference:
    """What a neighbour knows differs from what is known here.

    Attributes:
        due_us: When to ask.
        digests: As they were when it was asked last.
        asks: How often it was asked while they stayed.
    """

    due_us: int
    digests: tuple[int, ...] = ()
    asks: int = 0


@dataclass(slots=True)
class _Answer:
    """Parts of a table that a neighbour tells, as long as all of them came."""

    serial: int
    names: dict[str, None] = field(default_factory=dict)
    parts: dict[int, None] = field(default_factory=dict)


class Exchange:
    """Exchanges request tables, and with them who is where.

    Args:
        settings: Of the gateway.
        standing: Keeps the requests.
        presence: Keeps who is there.
        signalling: Says signals.
        started: Version that requests made since the start reach.

    Attributes:
        away: Whether this gateway was away for longer than withdrawals are remembered: it takes
            a neighbour's table in place of its own.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        standing: Standing,
        presence: Presence,
        signalling: Signalling,
        started: int,
    ) -> None:
        self.away = False
        self._settings = settings
        self._standing = standing
        self._presence = presence
        self._signalling = signalling
        self._started = started
        self._serial = started
        self._differences: dict[tuple[str, str], _Difference] = {}
        self._asked_us: dict[tuple[str, str], int] = {}
        self._telling: dict[str, deque[Table]] = {}
        self._answers: dict[str, _Answer] = {}

    def begin(self, started: int) -> None:
        """Begin anew, as a gateway does that was started."""
        self._started = self._serial = started
        self._differences.clear()
        self._asked_us.clear()

    def compare(self, hello: Hello, service: str, turn: Turn) -> None:
        """Ask a neighbour for its table where it says that it differs, and has something."""
        if hello.away and not self.away:
            return
        mine = (self._standing.table.digest, self._presence.roster.digest)
        theirs = (hello.table, hello.roster)
        place = (service, hello.gateway)
        if mine == theirs:
            self._differences.pop(place, None)
        elif (hello.table and mine[0] != theirs[0]) or mine[1] != theirs[1] or self.away:
            self._differ(place, (*mine, *theirs), turn)

    def asked(self, ask: Ask, service: str, turn: Turn) -> None:
        """Tell the whole table where a neighbour asks this gateway for it."""
        self._asked_us[service, ask.of] = self._presence.uptime_us
        if ask.of != self._settings.id or self._telling.get(service):
            return
        self._serial += 1
        parts = self._parts()
        told = tuple(self._presence.roster)
        self._telling[service] = deque(
            Table(
                self._settings.id,
                self._serial,
                number,
                len(parts),
                self.away,
                rows,
                told if number == 0 else (),
            )
            for number, rows in enumerate(parts)
        )
        self._tell(service, turn)

    def told(self, table: Table, service: str, turn: Turn) -> None:
        """Take a part of a neighbour's table; from one who was away only if this one was too."""
        if table.away and not self.away:
            return
        rows = []
        for raw in table.rows:
            try:
                rows.append(_decoder.decode(raw))
            except (msgspec.DecodeError, UnicodeError) as error:
                self._standing.refuse(f"row of a table: {error}", service, turn)
        new = self._standing.take_rows(tuple(rows), service, turn)
        self.pass_on(new, service, turn)
        if self.away and table.serial and not table.away:
            self._replace(table, rows, turn)

    def pass_on(self, rows: tuple[Row, ...], service: str, turn: Turn) -> None:
        """Tell rows that are new here at every event service but the one they came from."""
        for part in _cut(rows):
            told = Table(self._settings.id, 0, 0, 1, rows=part)
            self._signalling.say_elsewhere(told, service, turn)

    def tick(self, turn: Turn) -> None:
        """Go on telling."""
        for service in self._telling:
            self._tell(service, turn)

    def _differ(self, place: tuple[str, str], digests: tuple[int, ...], turn: Turn) -> None:
        """Ask, unless what differs may be on its way, was asked for, or does not go."""
        now_us, hello_us = self._presence.uptime_us, self._settings.hello_us
        known = self._differences.get(place)
        if known is None:
            lacks_all = digests[0] == 0 or self.away
            known = _Difference(now_us if lacks_all else now_us + hello_us // 2)
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
        now_us = self._presence.uptime_us
        asked_us = self._asked_us.get(place)
        if asked_us is not None and now_us - asked_us < self._settings.hello_us // 2:
            return False
        self._asked_us[place] = now_us
        if len(self._asked_us) > REMEMBERED:
            del self._asked_us[next(iter(self._asked_us))]
        return self._signalling.say(Ask(self._settings.id, gateway), service, turn)

    def _parts(self) -> list[tuple[msgspec.Raw, ...]]:
        return list(_cut(tuple(self._standing.table.rows()))) or [()]

    def _tell(self, service: str, turn: Turn) -> None:
        waiting = self._telling[service]
        for _ in range(min(PARTS, len(waiting))):
            self._signalling.say(waiting.popleft(), service, turn)

    def _replace(self, table: Table, rows: list[Row], turn: Turn) -> None:
        """Drop what a neighbour's table has not, once it was told as a whole."""
        answer = self._answers.get(table.gateway)
        if answer is None or answer.serial != table.serial:
            answer = self._answers[table.gateway] = _Answer(table.serial)
        answer.parts[table.number] = None
        answer.names.update((row.name, None) for row in rows)
        if len(answer.parts) == table.count:
            self._standing.drop(answer.names, self._started, turn)
            self._answers.clear()
            self.away = False


def _cut(rows: tuple[Row, ...]) -> list[tuple[msgspec.Raw, ...]]:
    """Return rows in parts, bounded by count and size."""
    parts: list[tuple[msgspec.Raw, ...]] = []
    part: list[msgspec.Raw] = []
    size = 0
    for row in rows:
        text = _encoder.encode(row)
        if part and (len(part) >= PART_ROWS or size + len(text) > PART_BYTES):
            parts.append(tuple(part))
            part, size = [], 0
        part.append(msgspec.Raw(text))
        size += len(text)
    return [*parts, tuple(part)] if part else parts
