"""The story: who walks where, whose mail comes when, which doors open. No I/O but its own file."""

from pathlib import Path
from typing import Final

import msgspec

STORY: Final = "story.json"
RECORDS: Final = "records.jsonl"
OUTAGES: Final = "restarts.jsonl"
PROGRESS: Final = "progress"
VERDICT: Final = "verdict.json"

BUILDING: Final = "oreilly"
"""The building, and its event service."""

OFFICE: Final = "office"
"""Bus of the mail room, of the security log and of the printer."""

SIGHTING: Final = "ie.tcd.cs.ActiveBadge"
ENTRY: Final = "ie.tcd.cs.Entered"
MAIL: Final = "ie.tcd.cs.Mail"
OPEN: Final = "Open"
"""Channel of the field bus."""

LOG, DESK, HANDHELD, CITY, DOORS, PRINTER = "log", "desk", "handheld", "city", "doors", "printer"
"""Native clients that receive; each room has a desk."""

LIFETIME_S: Final = 30.0
"""How long a decision of the policy service is valid: longer than the service is away."""


class Person(msgspec.Struct, frozen=True):
    """Somebody with a badge.

    Attributes:
        badge: Six bytes, hexadecimal.
        staff: Whether mail comes for the person; all others are visitors.
        rooms: Whose doors open.
    """

    badge: str
    staff: bool
    rooms: tuple[str, ...]


class Sighting(msgspec.Struct, frozen=True):
    """A station sees a badge; everybody is seen once in each step.

    Attributes:
        step: When.
        person: Whose badge it is.
        room: Network of the station.
        station: That sees it.
        entered: Whether the person was elsewhere in the step before.
    """

    step: int
    person: str
    room: str
    station: str
    entered: bool


class Mail(msgspec.Struct, frozen=True):
    """Mail comes.

    Attributes:
        step: When.
        owner: For whom.
    """

    step: int
    owner: str

    def headline(self, number: int) -> str:
        """Return its headline."""
        return f"mail {number} for {self.owner}"

    def body(self, number: int) -> str:
        """Return its text."""
        return f"Dear {self.owner}, this is all of mail {number}."


class Restart(msgspec.Struct, frozen=True):
    """A service is killed, and started again.

    Attributes:
        step: When.
        name: Of the process.
    """

    step: int
    name: str


class Story(msgspec.Struct, frozen=True):
    """A walk; what is in a list has its place there as its number.

    Attributes:
        step_s: Seconds of a step.
        people: By name.
        rooms: Stations by room.
        sightings: In their order.
        mails: In their order.
        restarts: In their order; none where nothing is restarted.
    """

    step_s: float
    people: dict[str, Person]
    rooms: dict[str, tuple[str, ...]]
    sightings: tuple[Sighting, ...]
    mails: tuple[Mail, ...]
    restarts: tuple[Restart, ...] = ()

    @property
    def steps(self) -> int:
        """How many steps the walk has."""
        return self.sightings[-1].step + 1 if self.sightings else 0

    def is_visitor(self, name: str) -> bool:
        """Return whether somebody is a visitor."""
        return not self.people[name].staff

    def opens(self, sighting: Sighting) -> bool:
        """Return whether a door has to open."""
        return sighting.entered and sighting.room in self.people[sighting.person].rooms


class Record(msgspec.Struct, frozen=True):
    """One line that a client wrote.

    Attributes:
        s: When, seconds since 1970 UTC.
        what: `published`, `received` or `refused`.
        client: That did.
        event: Its name.
        number: Which sighting, entry or mail; below 0 before the walk.
        room, tag, owner, headline, body: Of the event, where it has them.
        due_s: When it was to be published; seconds since 1970 UTC.
    """

    s: float
    what: str
    client: str
    event: str
    number: int = 0
    room: str = ""
    tag: str = ""
    owner: str = ""
    headline: str = ""
    body: str = ""
    due_s: float = 0.0


def record(line: str) -> Record:
    """Return a line that a client wrote."""
    return msgspec.json.decode(line, type=Record)


class Outage(msgspec.Struct, frozen=True):
    """A process was away.

    Attributes:
        name: Of the process.
        from_s: When it was killed; seconds since 1970 UTC.
        until_s: When it was seen to live again.
        step: Of the walk, when it was killed.
    """

    name: str
    from_s: float
    until_s: float
    step: int


def write(folder: Path, story: Story) -> None:
    """Leave a story in the run folder."""
    (folder / STORY).write_bytes(msgspec.json.encode(story))


def read(folder: Path) -> Story:
    """Return the story of a run."""
    return msgspec.json.decode((folder / STORY).read_bytes(), type=Story)
