"""Settings of an air, which every process on it must share, and of its connections."""

from dataclasses import dataclass, field
from math import inf
from urllib.parse import unquote

from eventservices.addresses import split_url
from eventservices.errors import MalformedError
from eventservices.secure import Access, split_access

LARGEST_RANGE_M = 300.0
"""Radio range that cells are made for by default; metres."""

_POSITIVE = ("cell_edge_m", "position_interval_s", "speed", "beacon_period_s", "connect_s")
_NOT_NEGATIVE = ("v_max_mps", "subscription_time_s", "leave_after_s", "outgoing_bytes")

LEAST_ROUND_S = 0.01
"""Shortest wall time between two looks of a moving node."""


@dataclass(frozen=True, slots=True)
class AirSettings:
    """What one process needs to know of an air.

    Attributes:
        url: `mqtt://[user:password@]host[:port]`, or `mqtts://` for TLS, with files in its query
            (`eventservices.secure`).
        name: Name of the air; all topics begin with it.
        client_id: Unique among the MQTT clients of the broker; generated where empty.
        cell_edge_m: Edge of a grid cell, the same in every process on the air; best about the
            largest radio range.
        connections: MQTT connections that the nodes share; each node keeps to one of them.
        v_max_mps: No node moves faster, on the trace's clock.
        position_interval_s: How often a moving node looks where it is, on the trace's clock.
        speed: How much faster than the wall clock the trace's clock runs.
        subscription_time_s: Wall time within which the broker puts a active subscription.
        leave_after_s: Wall time for which a cell is kept that is not needed any more.
        beacon_period_s: Wall time between beacons.
        event_bytes: Largest payload.
        outgoing_bytes: Largest backlog of a connection; what comes on top is refused.
        topics: Most topics that a connection subscribes to.
        keepalive_s: MQTT keep-alive; a silent link is abandoned after about twice that.
        connect_s: Wall time within which the broker must answer.
    """

    url: str = field(repr=False)  # may contain a password
    name: str = "air"
    client_id: str = ""
    cell_edge_m: float = LARGEST_RANGE_M
    connections: int = 1
    v_max_mps: float = 70.0
    position_interval_s: float = 1.0
    speed: float = 1.0
    subscription_time_s: float = 0.25
    leave_after_s: float = 2.0
    beacon_period_s: float = 2.0
    event_bytes: int = 262_144
    outgoing_bytes: int = 4_194_304
    topics: int = 100_000
    keepalive_s: int = 5
    connect_s: float = 5.0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            MalformedError: One is out of range; the message names it.
        """
        for name in _POSITIVE:
            if not 0 < getattr(self, name) < inf:
                raise MalformedError(f"{name} must be positive, not {getattr(self, name)}")
        for name in _NOT_NEGATIVE:
            if not 0 <= getattr(self, name) < inf:
                raise MalformedError(f"{name} must be a number from 0, not {getattr(self, name)}")
        if not 1 <= self.connections <= 64:
            raise MalformedError("connections must be 1 .. 64")

    @property
    def round_s(self) -> float:
        """Wall time between two looks of a moving node; never so short that it fills the loop."""
        return max(self.position_interval_s / self.speed, LEAST_ROUND_S)

    @property
    def lead_s(self) -> float:
        """How far a moving node must look ahead; seconds on the trace's clock."""
        return (self.round_s + self.subscription_time_s) * self.speed

    @property
    def margin_m(self) -> float:
        """How far a moving node may get before its new subscriptions are active; metres."""
        return self.v_max_mps * self.lead_s


@dataclass(frozen=True, slots=True)
class Address:
    """Where a broker listens, and how it is spoken to.

    Attributes:
        host, port: Of the broker.
        secure: Whether it speaks TLS.
        access: Files that gain access there.
        user, password: Of the client; None for none.
    """

    host: str
    port: int
    secure: bool
    access: Access
    user: str | None
    password: str | None = field(repr=False)

    @property
    def shown(self) -> str:
        """The address as people read it."""
        return f"{self.host}:{self.port}"


def parse_url(url: str) -> Address:
    """Return the address that a URL names.

    Raises:
        MalformedError: It is not a `mqtt://` or `mqtts://` URL with a host.
    """
    bare, access = split_access(url, own=())
    parts = split_url(bare)
    if parts.scheme not in {"mqtt", "mqtts"} or not parts.hostname:
        raise MalformedError("a broker's URL must read mqtt://host:port or mqtts://host:port")
    secure = parts.scheme == "mqtts"
    user = unquote(parts.username) if parts.username else None
    password = unquote(parts.password) if parts.password else None
    port = parts.port or (8883 if secure else 1883)
    return Address(parts.hostname, port, secure, access, user, password)
