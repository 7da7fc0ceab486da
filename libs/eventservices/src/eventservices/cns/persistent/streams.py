"""The streams that keep persistent events, and the consumers that remember who had which."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import nats.js.errors
from nats.js import api

from eventservices.cns.persistent.session import Session

log = logging.getLogger(__name__)

DUPLICATE_WINDOW_S: Final = 120.0
ACK_WAIT_S: Final = 30.0
MAX_ACK_PENDING: Final = 4096
FORGOTTEN_AFTER_S: Final = 300.0
"""How long the broker remembers a silent consumer without a durable name."""


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """What a channel's stream is to be.

    Attributes:
        name: Its name.
        subject: NATS subject of the channel's persistent events.
        max_events: Most events that it keeps; 0 for no limit.
        reject_new: Whether a full one refuses events; else it discards the oldest.
        max_bytes: Most bytes that it keeps.
        max_age_s: How long it keeps an event; 0 for as long as necessary.
        replicas: Servers that keep it.
    """

    name: str
    subject: str
    max_events: int
    reject_new: bool
    max_bytes: int
    max_age_s: float
    replicas: int


async def ensure_stream(session: Session, spec: StreamSpec, *, update: bool) -> datetime | None:
    """Make sure that there is a stream.

    Args:
        session: The connection.
        spec: What it is to be, if there is none yet.
        update: Whether one that exists is changed to that.

    Returns:
        When it was made; another stream of the same name was made at another time.
    """
    try:
        found = await session.jetstream.stream_info(spec.name)
    except nats.js.errors.NotFoundError:
        return (await _add(session, spec)).created
    if update:
        wanted, config = _config(spec), found.config
        config.max_msgs, config.discard = wanted.max_msgs, wanted.discard
        await session.jetstream.update_stream(config)
    return found.created


async def _add(session: Session, spec: StreamSpec) -> api.StreamInfo:
    try:
        return await session.jetstream.add_stream(_config(spec))
    except nats.js.errors.BadRequestError:
        return await session.jetstream.stream_info(spec.name)  # another client was first, perhaps


async def delete_stream(session: Session, name: str) -> None:
    """Delete a stream with all that it keeps; harmless where there is none."""
    try:
        await session.jetstream.delete_stream(name)
    except nats.js.errors.NotFoundError:
        return


async def ensure_consumer(
    session: Session, stream: str, name: str, *, lasting: bool, start: int | None
) -> api.ConsumerInfo:
    """Make sure that there is a consumer, and return how far it is.

    Args:
        session: The connection.
        stream: Name of the stream.
        name: Its name.
        lasting: Whether it is remembered while its client is away.
        start: Number in the stream at which one that must be made begins; None for events to come.
    """
    try:
        found: api.ConsumerInfo = await session.jetstream.consumer_info(stream, name)
    except nats.js.errors.NotFoundError:
        log.info("consumer_made", extra={"stream": stream, "consumer": name, "start": start})
    else:
        return found
    begin = api.DeliverPolicy.NEW if start is None else api.DeliverPolicy.BY_START_SEQUENCE
    config = api.ConsumerConfig(
        durable_name=name,
        deliver_policy=begin,
        opt_start_seq=start,
        ack_policy=api.AckPolicy.EXPLICIT,
        ack_wait=ACK_WAIT_S,
        max_ack_pending=MAX_ACK_PENDING,
        inactive_threshold=None if lasting else FORGOTTEN_AFTER_S,
    )
    return await session.jetstream.add_consumer(stream, config)


async def delete_consumer(session: Session, stream: str, name: str) -> None:
    """Forget a consumer; harmless where there is none."""
    try:
        await session.jetstream.delete_consumer(stream, name)
    except nats.js.errors.NotFoundError:
        return


def _config(spec: StreamSpec) -> api.StreamConfig:
    return api.StreamConfig(
        name=spec.name,
        subjects=[spec.subject],
        retention=api.RetentionPolicy.INTEREST,
        storage=api.StorageType.FILE,
        max_msgs=spec.max_events or -1,
        max_bytes=spec.max_bytes,
        max_age=spec.max_age_s,
        discard=api.DiscardPolicy.NEW if spec.reject_new else api.DiscardPolicy.OLD,
        num_replicas=spec.replicas,
        duplicate_window=_window_s(spec),
    )


def _window_s(spec: StreamSpec) -> float:
    # The broker refuses a window that is longer than it keeps events.
    return min(DUPLICATE_WINDOW_S, spec.max_age_s) if spec.max_age_s else DUPLICATE_WINDOW_S
