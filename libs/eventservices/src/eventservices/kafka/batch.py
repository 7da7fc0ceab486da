"""Messages of a native consumer, as soon as there are some."""

from confluent_kafka import Consumer, Message


def next_batch(consumer: Consumer, most: int, within_s: float) -> list[Message]:
    """Return what comes next, without waiting until it is a whole batch, as `consume` does.

    Args:
        consumer: The native client.
        most: Most messages.
        within_s: Longest wait for the first, seconds.
    """
    first = consumer.poll(within_s)
    return [] if first is None else [first, *consumer.consume(most - 1, 0.0)]
