"""Times and bounds of a connection to a SIENA service."""

from dataclasses import dataclass, field

from eventservices.errors import MalformedError
from eventservices.natslink import LinkOptions
from eventservices.siena.bounded import Keep


@dataclass(frozen=True, slots=True)
class Options:
    """How a connection behaves; every table that it keeps has its bound here.

    Attributes:
        link: How its NATS connections behave.
        digest_interval_s: Time between two announcements that it is alive; the same for all
            connections of a service.
        missed_digests: Announcements missed before another connection counts as dead.
        join_wait_s: Longest wait, when opening, for the first answer of another connection.
        in_force_timeout_s: Longest wait for other servers when a subscription is made.
        witness_wait_s: Longest wait, when opening, for connections to the other configured servers.
        max_peers: Other connections kept; more are left out and counted.
        max_entries: Their subscriptions and advertisements kept; more are left out and counted.
        max_declared: Subscriptions and advertisements of all clients of a connection; more are
            refused.
        held: Deliveries kept for a client while it is suspended.
        held_keep: Which of them are kept when there are more.
        stream: Deliveries kept for the reader of a stream.
        stream_keep: Which of them are kept when there are more.
        pattern_kept: Notifications that wait for each filter of a pattern; the oldest go first.
        kept_aside: Malformed messages kept for inspection; the oldest go first.
        suppress_window: Sequence numbers in which a repetition is recognised, for each origin.
        suppress_origins: Origins whose repetitions are recognised; the one unused longest goes.

    Raises:
        MalformedError: `held`, `stream` or `pattern_kept` is less than 1.
    """

    link: LinkOptions = field(default_factory=LinkOptions)
    digest_interval_s: float = 2.0
    missed_digests: int = 3
    join_wait_s: float = 0.3
    in_force_timeout_s: float = 2.0
    witness_wait_s: float = 1.0
    max_peers: int = 1024
    max_entries: int = 100_000
    max_declared: int = 100_000
    held: int = 1000
    held_keep: Keep = Keep.NEWEST
    stream: int = 1000
    stream_keep: Keep = Keep.NEWEST
    pattern_kept: int = 1000
    kept_aside: int = 64
    suppress_window: int = 4096
    suppress_origins: int = 10_000

    def __post_init__(self) -> None:
        """Check the bounds that must leave room for one."""
        for name in ("held", "stream", "pattern_kept"):
            if getattr(self, name) < 1:
                raise MalformedError(f"option {name} must be at least 1: {getattr(self, name)}")
