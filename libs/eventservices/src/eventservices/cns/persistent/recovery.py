"""What a consumer must set right when it connects, before it requests more.

The broker counts events as delivered that never reached the client, because one of the two died.
It would send them again only after the time for acknowledgements, behind newer ones. So the client
names them: what it has in hand it keeps, what it has finished it acknowledges again, and the rest
it returns, in order; what it returned comes first.

Source:
    NATS ADR-15, acknowledgement subjects; that a returned event precedes new ones was measured
    with nats-server 2.15.1.
"""

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from nats.js import api

from eventservices.cns.persistent.session import Session

ACK: Final = b"+ACK"
NAK: Final = b"-NAK"
IN_PROGRESS: Final = b"+WPI"
MOST: Final = 1_000_000
"""Most events looked at; the rest comes after the time for acknowledgements."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a consumer is, as the broker has it.

    Attributes:
        floor: All events up to this one are acknowledged.
        delivered: The last that was delivered.
        deliveries: How many deliveries there were.
        unacknowledged: How many delivered events are not acknowledged.
    """

    floor: int
    delivered: int
    deliveries: int
    unacknowledged: int

    @classmethod
    def of(cls, info: api.ConsumerInfo) -> "Progress":
        """Return what the broker reports about a consumer."""
        floor, last = info.ack_floor, info.delivered
        return cls(
            floor.stream_seq if floor else 0,
            last.stream_seq if last else 0,
            last.consumer_seq if last else 0,
            info.num_ack_pending or 0,
        )


def answers(
    progress: Progress, in_hand: Container[int], finished: Container[int]
) -> list[tuple[int, bytes]]:
    """Return what to send the broker about events that it counts as delivered.

    Args:
        progress: How far the consumer is according to the broker.
        in_hand: Events that the client has and has not finished.
        finished: Events that it has finished.
    """
    if not progress.unacknowledged:
        return []
    last = min(progress.delivered, progress.floor + MOST)
    return [
        (number, ACK if number in finished else NAK)
        for number in range(progress.floor + 1, last + 1)
        if number not in in_hand
    ]


async def recover(
    session: Session,
    stream: str,
    consumer: str,
    progress: Progress,
    told: list[tuple[int, bytes]],
) -> None:
    """Send an answer to the broker, and wait until it has accepted it."""
    for place, (number, answer) in enumerate(told, 1):
        subject = f"$JS.ACK.{stream}.{consumer}.1.{number}.{progress.deliveries}.0.0"
        if place < len(told):
            await session.client.publish(subject, answer)
        else:
            await session.client.request(subject, answer, timeout=2)
