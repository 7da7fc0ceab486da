"""The follower: reads what the logs of a run grew by, and cuts it into segments."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

from analytics.errors import RunReplacedError
from analytics.inputs.files import Files
from analytics.inputs.folder import LOGS, numbered
from analytics.live.reading.segment import EVENT_LOG, KINDS, End, Position, Segment, end_of

SEGMENTS: Final = "segments"
BUDGET_BYTES: Final = 8 * 2**20
"""Most that one segment takes of the logs, but for one line of each file."""
LINE_BYTES: Final = 2**20
"""A longer line is cut here, and is broken."""
LEAST_BYTES: Final = 4096
HEAD_BYTES: Final = 512
"""By so much of its beginning a file is known again; event logs by their number."""


@dataclass(frozen=True, slots=True)
class _Stream:
    """What one writer wrote: its files in their order, each with its length."""

    files: tuple[tuple[str, int], ...]


class Follower:
    """Cuts segments, so that a stream of whole files comes of logs that are appended to.

    A segment is made whole at one stroke and states how far it came. So a follower that is begun
    again goes on where the last segment ends, and no line is read twice or left out.

    Args:
        run: The run folder.
        work: Where segments are kept.
        idle_s: A file that has not grown for so long has ended, even within a line.
        budget_bytes: Most bytes in a segment.
    """

    def __init__(
        self, run: Files, work: Files, idle_s: float, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self._run = run
        self._work = work
        self._idle_us = round(idle_s * 1e6)
        self._budget = budget_bytes
        self._sizes: dict[str, int] = {}
        self._grown_us: dict[str, int] = {}
        self.end = _last(work)

    def cut(self, now_us: int) -> End:
        """Read on, and make the next segment of it, even if nothing was written.

        Args:
            now_us: Wall clock.

        Raises:
            RunReplacedError: A file is not the one that was read before.
        """
        sizes = self._look(now_us)
        files = self.end.files | {name: _inside(name) for name in sizes}
        segment, reading = Segment(), _Reading(self.end, sizes)
        share = self._budget / max(self._budget, reading.waiting)
        for stream in _streams(sizes):
            self._follow(stream, share, segment, reading, now_us)
        heads = {name: self._head(name) for name in KINDS if reading.has_head(name)}
        end = reading.ended(now_us, files, heads, quiet=self._is_quiet(now_us))
        self._work.write(f"{SEGMENTS}/{_name(end.number)}", segment.ended(end))
        self.end = end
        return end

    def rests(self, now_us: int) -> bool:
        """Return whether nothing was written since the last segment, which said that all is quiet.

        Raises:
            RunReplacedError: A file is not the one that was read before.
        """
        sizes = self._look(now_us)
        read = {name: position.offset for name, position in self.end.positions.items()}
        return self.end.quiet and sizes == read

    def forget(self, number: int) -> None:
        """Remove the segments before a number; they have been worked up."""
        for name in _names(self._work):
            if name < _name(number):
                self._work.remove(f"{SEGMENTS}/{name}")

    def _look(self, now_us: int) -> dict[str, int]:
        found = self._run.sizes()
        sizes = {name: found[name] for name in KINDS if name in found}
        logs = self._run.sizes(LOGS)
        sizes |= {name: size for name, size in logs.items() if numbered(Path(name))[0]}
        self._check_same(sizes)
        grown = {name for name, size in sizes.items() if self._sizes.get(name) != size}
        self._grown_us = {name: self._grown_us.get(name, now_us) for name in sizes}
        self._grown_us |= dict.fromkeys(grown, now_us)
        self._sizes = sizes
        return sizes

    def _check_same(self, sizes: dict[str, int]) -> None:
        for name, position in self.end.positions.items():
            size = sizes.get(name, 0 if name in KINDS else position.offset)
            head = self.end.heads.get(name)
            same = head is None or (name in sizes and head == self._head(name))
            if size < position.offset or not same:
                raise RunReplacedError(f"{self._run.uri(_inside(name))} is another file")
        for name in (set(sizes) & set(self.end.files)) - set(self.end.positions):
            raise RunReplacedError(f"{self._run.uri(_inside(name))} came back")

    def _head(self, name: str) -> int:
        return crc32(self._run.read(_inside(name), 0, HEAD_BYTES))

    def _is_quiet(self, now_us: int) -> bool:
        return bool(self._sizes) and all(self._stale(name, now_us) for name in self._sizes)

    def _stale(self, name: str, now_us: int) -> bool:
        return now_us - self._grown_us[name] >= self._idle_us

    def _follow(
        self, stream: _Stream, share: float, segment: Segment, reading: "_Reading", now_us: int
    ) -> None:
        rest = [(name, reading.rest(name)) for name, _ in stream.files]
        wanted = max(LEAST_BYTES, int(share * sum(size for _, size in rest)))
        for name, waiting in rest:
            taken, block = min(wanted, waiting), b""
            if waiting:
                block = self._block(name, reading.positions[name].offset, taken, waiting)
                reading.take(name, block, segment)
                self._finish(name, block, segment, reading, now_us)
            if taken < waiting or (waiting and not block):
                reading.behind.append(name)
                return
            wanted -= taken

    def _block(self, name: str, offset: int, wanted: int, waiting: int) -> bytes:
        """Return whole lines, or all that there is of one that has no end yet.

        Nothing of a file that is removed at this moment.
        """
        path = _inside(name)
        try:
            block = self._run.read(path, offset, wanted)
            if b"\n" not in block and wanted < waiting:
                block = self._run.read(path, offset, min(LINE_BYTES, waiting))
        except FileNotFoundError:
            return b""
        return block

    def _finish(
        self, name: str, block: bytes, segment: Segment, reading: "_Reading", now_us: int
    ) -> None:
        """Accept a last line without its end, once it will get none, or is too long to wait for."""
        tail = block[block.rfind(b"\n") + 1 :]
        at_end = reading.rest(name) == len(tail)
        if tail and (len(tail) >= LINE_BYTES or (at_end and self._stale(name, now_us))):
            reading.take(name, tail, segment, unended=True)


class _Reading:
    """How far a segment came, as it is made."""

    def __init__(self, before: End, sizes: dict[str, int]) -> None:
        self._before = before
        self._sizes = sizes
        self.positions = {name: before.positions.get(name, Position()) for name in sizes}
        self.unended = dict(before.unended)
        self.behind: list[str] = []
        self._taken = 0
        self.waiting = sum(self.rest(name) for name in sizes)

    def rest(self, name: str) -> int:
        """Return how many bytes of a file have not been accepted."""
        return self._sizes[name] - self.positions[name].offset

    def take(self, name: str, block: bytes, segment: Segment, *, unended: bool = False) -> None:
        """Add the whole lines of a block; all of it where it is `unended`."""
        kind = KINDS.get(name, EVENT_LOG)
        for line in _lines(block, whole=not unended):
            position = self.positions[name]
            segment.add(name, kind, position, line.removesuffix(b"\n"))
            self.positions[name] = Position(position.offset + len(line), position.lines + 1)
            self._taken += 1
        if unended:
            self.unended[name] = self.positions[name].lines

    def has_head(self, name: str) -> bool:
        """Return whether so much of a file was accepted that it can be known again."""
        return name in self.positions and self.positions[name].offset >= HEAD_BYTES

    def ended(
        self, now_us: int, files: dict[str, str], heads: dict[str, int], *, quiet: bool
    ) -> End:
        """Return how far it came."""
        gone = set(self._before.positions) - set(self._sizes)
        unread = {name: self.rest(name) for name in self._sizes if self.rest(name)}
        return End(
            number=self._before.number + 1,
            now_us=now_us,
            lines=self._taken,
            positions=self.positions,
            files=files,
            heads=heads,
            unended=self.unended,
            lost=(*self._before.lost, *sorted(gone & set(self._before.unread))),
            unread=unread,
            behind=tuple(self.behind),
            quiet=quiet and not unread,
        )


def _lines(block: bytes, *, whole: bool) -> Iterator[bytes]:
    *lines, tail = block.split(b"\n")
    yield from (line + b"\n" for line in lines)
    if tail and not whole:
        yield tail


def _name(number: int) -> str:
    return f"{number:08d}.jsonl"


def _names(work: Files) -> list[str]:
    return [name for name in work.sizes(SEGMENTS) if not name.startswith(".")]


def _last(work: Files) -> End:
    names = _names(work)
    return end_of(work.read(f"{SEGMENTS}/{max(names)}")) if names else End(0, 0)


def _inside(name: str) -> str:
    return name if name in KINDS else f"{LOGS}/{name}"


def _streams(sizes: dict[str, int]) -> list[_Stream]:
    """Return the files by who wrote them: each process rotates its own event logs."""
    streams: dict[str, list[str]] = {}
    for name in sizes:
        streams.setdefault(name if name in KINDS else numbered(Path(name))[0] + "/", []).append(
            name
        )
    return [
        _Stream(tuple((name, sizes[name]) for name in sorted(names, key=_order)))
        for names in streams.values()
    ]


def _order(name: str) -> tuple[str, int]:
    return numbered(Path(name))
