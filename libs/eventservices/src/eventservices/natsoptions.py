"""How a link to a NATS broker behaves, and what it counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How a link behaves.

    Attributes:
        name: Shown by the broker's monitoring.
        open_timeout_s: Longest that opening lasts.
        probe_interval_s: Time between two proofs of receiving; 0 proves only on request.
        probe_timeout_s: Longest that a proof, or a flush, lasts.
        pending_bytes: Most that is kept to be sent while the broker is away.
        apart: Whether events (`waits=False`) are published over a connection of their own, which no
            server ends because this process is behind with what it receives.
    """

    name: str = ""
    open_timeout_s: float = 10.0
    probe_interval_s: float = 5.0
    probe_timeout_s: float = 2.0
    pending_bytes: int = 2 * 1024 * 1024
    apart: bool = False


@dataclass(slots=True)
class LinkCounters:
    """What happened to a link since it was made.

    Attributes:
        reconnects: Times that the client found a server again by itself.
        rebuilds: Times that a deaf or closed client was replaced.
        behind: Proofs of receiving that waited too long behind other messages.
        refused: Publications refused because the broker was away, or the buffer full.
        lost: Publications that waited in the buffer of a client that was replaced.
        errors: Errors that the client reported, slow consumption among them.
    """

    reconnects: int = 0
    rebuilds: int = 0
    behind: int = 0
    refused: int = 0
    lost: int = 0
    errors: int = 0
