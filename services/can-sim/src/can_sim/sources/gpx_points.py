"""The track points of a GPX document, by expat, as far as the document can be read.

Elements are known by namespace and name, whatever the prefix. Where a document breaks (a recorder
died, a bare `&`), reading goes on at the next point; what lies between is counted.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from eventservices.canlog.textlines import LOOK_BYTES, encoding_of

MAX_DEPTH: Final = 64
"""Deepest nesting of elements."""
MAX_BREAKS: Final = 20_000
"""Most broken places after which reading goes on."""
MAX_PASSES: Final = 4
"""Most characters read, in lengths of the document: what is never closed is read to the end."""
MAX_TEXT_CHARACTERS: Final = 256
LEAST_CHUNK_CHARACTERS: Final = 256
CHUNK_CHARACTERS: Final = 1 << 16
_DECLARED = re.compile(
    rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""", re.DOTALL
)
_NEXT = re.compile(r"<(?:[\w.-]+:)?(?P<name>trkpt|trkseg|trk)[\s>/]")
_POINT = re.compile(r"<(?:[\w.-]+:)?trkpt[\s>/]")
_SPACE = " \t\r\n"
_SEPARATOR = "\x1f"


class NotGpxError(ValueError):
    """Raised where a document is not GPX; `line` is where that shows, 0 for the whole."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


class Root(NamedTuple):
    """The root of a document.

    Attributes:
        prefix: Of its name, with the colon; empty where it has none.
        spaces: Prefix and namespace, as it declares them.
    """

    prefix: str
    spaces: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Point:
    """A track point, as text.

    Attributes:
        line: Where it begins, from 1.
        lat: Of its attribute; None where absent.
        lon: The same.
        time: Of its element; None where absent.
    """

    line: int
    lat: str | None
    lon: str | None
    time: str | None = None


@dataclass(slots=True)
class Segment:
    """A track segment.

    Attributes:
        points: Those that are whole.
    """

    points: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class Track:
    """A track.

    Attributes:
        name: Of its element; empty where absent.
        segments: In the document's order.
    """

    name: str = ""
    segments: list[Segment] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """What a document holds.

    Attributes:
        tracks: In its order.
        broken: Line and reason of each place that could not be read.
        lost: Points that were begun and not read, one for each such place aside.
        waypoints: Points that belong to no track.
    """

    tracks: list[Track] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    lost: int = 0
    waypoints: int = 0

    @property
    def points(self) -> int:
        """How many points were read."""
        return sum(len(segment.points) for track in self.tracks for segment in track.segments)


def text_of(data: bytes) -> str:
    """Return a document's text, by its byte order mark or the encoding that it declares.

    Raises:
        NotGpxError: It declares an encoding that is not known.
    """
    encoding, errors = encoding_of(data[:LOOK_BYTES])
    declared = _DECLARED.match(data[:1024])
    if encoding == "utf-8" and declared:
        name = declared[1].decode("ascii")
        try:
            if name.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-16"):
                return data.decode(name, "replace")
        except (LookupError, ValueError, AssertionError):
            raise NotGpxError(f"declares the unknown encoding {name}", 1) from None
    return data.decode(encoding, errors)


def read_document(data: bytes) -> Document:
    """Return the tracks of a document.

    Raises:
        NotGpxError: It is not GPX, declares entities, or is nested too deeply.
    """
    text = text_of(data)
    found = Document()
    start = len(text) - len(text.lstrip(_SPACE))
    line = 1 + text.count("\n", 0, start)
    root: Root | None = None
    read = 0
    while True:
        reader = _Reader(found, line)
        if root is not None:
            reader.resume(root, _local(_NEXT.match(text, start)))
        reached = reader.read(text, start)
        root = root or reader.root
        if reached is None:
            break
        read += reader.read_characters
        following = _NEXT.search(text, reached)
        if following is None or root is None:
            break
        if len(found.broken) >= MAX_BREAKS or read > MAX_PASSES * len(text):
            break
        line += text.count("\n", start, following.start())
        start = following.start()
    if root is None or (found.broken and not found.points):
        at, reason = found.broken[0] if found.broken else (0, "it has no element")
        raise NotGpxError(f"is not GPX: {reason}", at)
    if found.broken:
        begun = sum(1 for _ in _POINT.finditer(text))
        found.lost = max(begun - found.points - len(found.broken), 0)
    return found


def _chunks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield places that double in size: a document that breaks often is not read far ahead."""
    size = LEAST_CHUNK_CHARACTERS
    while start < end:
        yield start, min(start + size, end)
        start += size
        size = min(2 * size, CHUNK_CHARACTERS)


def _local(match: re.Match[str] | None) -> str:
    return match["name"] if match else ""


class _Reader:
    """Reads from one place of a document until it ends or breaks."""

    def __init__(self, found: Document, line: int) -> None:
        self.found = found
        self.root: Root | None = None
        self.read_characters = 0
        self._line = line
        self._path: list[str] = []
        self._spaces: list[tuple[str, str]] = []
        self._point: Point | None = None
        self._text: list[str] | None = None
        self._track: Track | None = None
        self._segment: Segment | None = None
        self._space = ""
        self._fed = 0
        self._resuming = False
        self._parser = expat.ParserCreate("utf-8", _SEPARATOR)
        self._parser.buffer_text = True
        self._parser.StartNamespaceDeclHandler = self._declare
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data
        self._parser.EntityDeclHandler = self._entity

    def resume(self, root: Root, before: str) -> None:
        """Move the parser to where an element may begin: in the root, a track, or a segment.

        Args:
            root: The document's.
            before: Local name of the element that comes next.
        """
        self._resuming = True
        declared = "".join(
            f" xmlns{':' if prefix else ''}{prefix}={quoteattr(space)}"
            for prefix, space in root.spaces
        )
        above = {"trkpt": ("trk", "trkseg"), "trkseg": ("trk",)}.get(before, ())
        opened = "".join(f"<{root.prefix}{name}>" for name in above)
        head = f"<{root.prefix}gpx{declared}>{opened}".encode()
        self._parser.Parse(head, False)
        self._fed = len(head)
        self._resuming = False

    def read(self, text: str, start: int) -> int | None:
        """Read on; return where the document broke, None where it ended.

        Raises:
            NotGpxError: As `read_document`.
        """
        chunks: list[tuple[int, int]] = []
        fed = self._fed
        try:
            for at, end in _chunks(start, len(text)):
                data = text[at:end].encode("utf-8", "replace")
                chunks.append((fed, at))
                fed += len(data)
                self.read_characters = end - start
                self._parser.Parse(data, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            line = self._line + error.lineno - 1
            place = self._point.line if self._point else line
            self.found.broken.append((place, f"{expat.ErrorString(error.code)} in line {line}"))
            reached = self._broken_at(text, chunks)
            # The place of what is never closed is its own beginning.
            unclosed = error.code == expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN]
            return reached + unclosed
        return None

    def _broken_at(self, text: str, chunks: list[tuple[int, int]]) -> int:
        if not chunks:
            return len(text)
        index = self._parser.ErrorByteIndex
        fed, at = chunks[max(bisect_right(chunks, (index, len(text))) - 1, 0)]
        piece = text[at : at + CHUNK_CHARACTERS].encode("utf-8", "replace")
        reached = at + len(piece[: max(index - fed, 0)].decode("utf-8", "ignore"))
        return max(reached, chunks[0][1] + 1)

    def _declare(self, prefix: str | None, space: str | None) -> None:
        if not self._path and len(self._spaces) < MAX_DEPTH:
            self._spaces.append((prefix or "", space or ""))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(_SEPARATOR)
        if not self._path:
            if local != "gpx":
                raise NotGpxError(f"is not GPX: its root is {local[:40]}", self._at())
            self._space = space
            prefix = next((p for p, known in self._spaces if known == space), "")
            self.root = Root(f"{prefix}:" if prefix else "", tuple(self._spaces))
        if len(self._path) >= MAX_DEPTH:
            raise NotGpxError("is nested too deeply", self._at())
        path = local if space == self._space else f"{space}{_SEPARATOR}{local}"
        self._path.append(path)
        if path == "trk":
            self._start_track()
        elif path == "trkseg" and not self._resuming:
            self._segment = Segment()
            self._of_track().segments.append(self._segment)
        elif path == "trkpt":
            self._point = Point(self._at(), attributes.get("lat"), attributes.get("lon"))
        elif path in ("wpt", "rtept"):
            self.found.waypoints += 1
        elif path in ("time", "name") and self._parent() in ("trkpt", "trk"):
            self._text = []

    def _start_track(self) -> None:
        if self._resuming and self.found.tracks:
            self._track = self.found.tracks[-1]
            self._segment = self._track.segments[-1] if self._track.segments else None
        else:
            self._track, self._segment = Track(), None
            self.found.tracks.append(self._track)

    def _end(self, name: str) -> None:
        del name
        path = self._path.pop()
        parent = self._path[-1] if self._path else ""
        text = "".join(self._text).strip(_SPACE) if self._text is not None else ""
        if path == "time" and parent == "trkpt" and self._point and self._text is not None:
            self._point.time = self._point.time or text
        elif path == "name" and parent == "trk" and self._track and self._text is not None:
            self._track.name = self._track.name or text
        elif path == "trkpt" and self._point:
            self._of_segment().points.append(self._point)
            self._point = None
        if path in ("time", "name"):
            self._text = None

    def _data(self, text: str) -> None:
        if self._text is not None and len(self._text) < MAX_DEPTH:
            self._text.append(text[:MAX_TEXT_CHARACTERS])

    def _entity(self, *arguments: object) -> None:
        del arguments
        raise NotGpxError("declares entities, which are not read", self._at())

    def _parent(self) -> str:
        return self._path[-2] if len(self._path) > 1 else ""

    def _at(self) -> int:
        return self._line + self._parser.CurrentLineNumber - 1

    def _of_track(self) -> Track:
        if self._track is None:
            self._track = Track()
            self.found.tracks.append(self._track)
        return self._track

    def _of_segment(self) -> Segment:
        if self._segment is None:
            self._segment = Segment()
            self._of_track().segments.append(self._segment)
        return self._segment
