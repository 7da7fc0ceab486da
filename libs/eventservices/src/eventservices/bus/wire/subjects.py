"""NATS subjects of a building's buses.

`evbus.<building>.to.<bus>.<sender>`, `evbus.<building>.all.<sender>`,
`evbus.<building>.call.<bus>.<client>` and `evbus.<building>.push.<bus>.<client>`.
"""

import re
from dataclasses import dataclass
from typing import Final

from eventservices.bus.errors import EventNameError

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_token(text: str, what: str) -> str:
    """Return an identifier if it is one.

    Raises:
        EventNameError: It has other characters than letters, digits, `_` and `-`, or over 64.
    """
    if not is_token(text):
        raise EventNameError(f"{what} {text[:80]!r} is not 1 to 64 letters, digits, `_` or `-`")
    return text


def is_token(text: str) -> bool:
    """Return whether a text is an identifier: what is kept by it is no longer than one."""
    return _TOKEN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Subjects:
    """Subjects of one building.

    Attributes:
        building: Its identifier.
    """

    building: str

    def __post_init__(self) -> None:
        """Check the identifier."""
        check_token(self.building, "building")

    def to(self, bus: str, sender: str) -> str:
        """Return the subject of messages to a bus; `*` for any sender."""
        return f"evbus.{self.building}.to.{bus}.{sender}"

    def all(self, sender: str) -> str:
        """Return the subject of messages to all buses."""
        return f"evbus.{self.building}.all.{sender}"

    def call(self, bus: str, client: str) -> str:
        """Return the subject of a client's calls."""
        return f"evbus.{self.building}.call.{bus}.{client}"

    def push(self, bus: str, client: str) -> str:
        """Return the subject of what a bus sends a client."""
        return f"evbus.{self.building}.push.{bus}.{client}"

    def policy(self) -> str:
        """Return the subject on which the policy service reports changes."""
        return f"evbus.{self.building}.policy"


def last_token(subject: str) -> str:
    """Return the last token of a subject."""
    return subject.rpartition(".")[2]
