"""Times and bounds of a connection to a SIENA service."""

from dataclasses import dataclass, field

from eventservices.natslink import LinkOptions


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
        witness_wait_s: Longest wait, when opening, for connections to the other servers given.
        max_peers: Other connections kept; more are left out and counted.
        max_entries: Their subscriptions and advertisements kept; more are left out and counted.
        kept_aside: Malformed messages kept for inspection; the oldest go first.
        suppress_window: Sequence numbers in which a repetition is recognised, for each origin.
        suppress_origins: Origins whose repetitions are recognised; the one unused longest goes.
    """

    link: LinkOptions = field(default_factory=LinkOptions)
    digest_interval_s: float = 2.0
    missed_digests: int = 3
    join_wait_s: float = 0.3
    in_force_timeout_s: float = 2.0
    witness_wait_s: float = 1.0
    max_peers: int = 1024
    max_entries: int = 100_000
    kept_aside: int = 64
    suppress_window: int = 4096
    suppress_origins: int = 10_000
