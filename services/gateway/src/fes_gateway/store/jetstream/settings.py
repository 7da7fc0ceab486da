"""Which stream keeps a journal, and where."""

import hashlib
import re
from dataclasses import dataclass

from eventservices.credentials import without_credentials

PREFIX = "FES_"
SUBJECT = "fes.store."
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Which stream keeps a journal, and how long it is waited for.

    Attributes:
        urls: Addresses of equal servers; they may carry a name and a password.
        name: Of the stream; see `stream_name`.
        copies: Servers that keep it: 1, or 3 of a cluster.
        patience_s: Longest that a server that does not answer is waited for.
        answer_s: Longest that one answer is waited for, before it is requested again.
        grace_s: Longest that a batch in several messages is waited for, once it has begun.
    """

    urls: tuple[str, ...]
    name: str
    copies: int = 1
    patience_s: float = 4.0
    answer_s: float = 2.0
    grace_s: float = 0.5

    @property
    def subject(self) -> str:
        """NATS subject of the stream's messages."""
        return SUBJECT + self.name

    @property
    def place(self) -> str:
        """The stream as people read it, without a password."""
        shown = ", ".join(without_credentials(url)[0] for url in self.urls)
        return f"{shown}: stream {self.name}"


def stream_name(system: str, gateway: str) -> str:
    """Return the name of the stream of a gateway; different for any two gateways.

    Args:
        system: Identifier of the federation.
        gateway: Name of the gateway; any characters.
    """
    shown = re.sub(r"[^A-Za-z0-9-]", "-", f"{system}-{gateway}")[:_SHOWN]
    digest = hashlib.sha256(f"{system}\0{gateway}".encode()).hexdigest()[:16]
    return f"{PREFIX}{shown}_{digest}"
