"""Limits in the file: of the whole federation, and of its event log."""

from typing import Annotated

import msgspec
from msgspec import Meta

Positive = Annotated[int, Meta(ge=1, le=2**53)]

MIB = 1024 * 1024
Room = Annotated[int, Meta(ge=MIB, le=2**40)]
"""Bytes of memory, enough for at least one event."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of the whole federation.

    Attributes:
        event_bytes: Largest encoded event, at most 1 MiB.
        fields: Most parameters and attributes of an event together.
        name_length: Most characters of a subject or identifier.
        hops: Most event services that an event or request passes.
        requests: Most rows of a gateway's request table.
        requests_bytes: Most bytes of memory that a gateway's request table accounts for.
        request_rate: New requests a second of the clients of each event service, in the long run;
            as many as the table has rows, or as 10 s bring, at once.
        patterns: Most names in a distribution list.
        announcement_s: How long a fabricated announcement lasts that no publication renews.
        horizon_s: How long an unsubscription is remembered: longer than any separation.
        hello_s: How often a gateway sends a hello; a standby serves once several are missing.
        window: Sequence numbers of each origin in the delivery records of a destination.
        origins: Origins in the delivery records of a destination.
        custody: Most persistent events in a gateway's custody at a time, for each destination.
        custody_bytes: Most bytes of memory that all of them account for; for each event service
            that an event passed before, it finds an eighth more.
        marks: Most delivery records of events that left a gateway's custody.
        in_flight: Most persistent events of one origin, priority and destination in transit without
            an answer.
        retry_s: How long to wait for an answer before they are sent again.
        retransmission_s: How long these delivery records are kept: longer than a copy may still
            come.
        waiting_bytes: Most bytes of memory of best-effort events that wait for their `StartTime`.
        announced_bytes: Most bytes of a gateway's fabricated announcements at each event service.

    Source:
        Reliability, section 2; design, sections 4 and 6.
    """

    event_bytes: Annotated[int, Meta(ge=64, le=1024 * 1024)] = 256 * 1024
    fields: Positive = 1000
    name_length: Positive = 512
    hops: Annotated[int, Meta(ge=1, le=8)] = 8
    requests: Positive = 10_000
    requests_bytes: Room = 8 * MIB
    request_rate: Positive = 200
    patterns: Annotated[int, Meta(ge=1, le=1000)] = 64
    announcement_s: Annotated[float, Meta(gt=0)] = 60.0
    horizon_s: Annotated[float, Meta(gt=0)] = 3600.0
    hello_s: Annotated[float, Meta(ge=0.05, le=60)] = 1.0
    window: Positive = 4096
    origins: Positive = 4000
    custody: Positive = 10_000
    custody_bytes: Room = 8 * MIB
    marks: Positive = 50_000
    in_flight: Annotated[int, Meta(ge=1, le=1000)] = 32
    retry_s: Annotated[float, Meta(ge=0.1, le=3600)] = 2.0
    retransmission_s: Annotated[float, Meta(gt=0)] = 600.0
    waiting_bytes: Room = 2 * MIB
    announced_bytes: Room = MIB


class EventLog(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How decisions are logged.

    Attributes:
        sample: Share of the identities that are logged, 0 to 1; the same ones everywhere.
        file_bytes: Size at which a file is closed and the next begun.
        files: Most files of one process; the oldest is removed.
    """

    sample: Annotated[float, Meta(ge=0, le=1)] = 1.0
    file_bytes: Annotated[int, Meta(ge=4096)] = 64 * 1024 * 1024
    files: Annotated[int, Meta(ge=1, le=10_000)] = 8
