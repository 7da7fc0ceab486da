"""Memory of publications, and of topics' last messages: it recognises messages that come back.

MQTT 3.1.1 has no place for a stamp. A broker sends an adapter's own publications back where the
adapter subscribes to their topics, and all that it keeps to each new subscription.
"""

from collections import OrderedDict
from hashlib import blake2b
from itertools import count
from typing import Final

KEPT: Final = 10_000
"""Most publications, and most topics, that are remembered; the oldest is forgotten first."""

Key = tuple[str, bytes]


def key_of(topic: str, payload: bytes) -> Key:
    """Return the key by which a message is recognised."""
    return topic, blake2b(payload, digest_size=16).digest()


class Own:
    """Remembers publications that the broker is going to send back.

    Args:
        for_s: How long they are remembered, seconds.

    Attributes:
        forgotten: Publications that did not come back in time, or were too many.
    """

    def __init__(self, for_s: float) -> None:
        self.forgotten = 0
        self._for_s = for_s
        self._sent: OrderedDict[int, tuple[Key, float]] = OrderedDict()
        self._numbers: dict[Key, list[int]] = {}
        self._count = count()

    def __len__(self) -> int:
        """Return how many publications are awaited."""
        return len(self._sent)

    def sent(self, key: Key, now_s: float) -> None:
        """Note a publication that comes back."""
        self._expire(now_s)
        number = next(self._count)
        self._sent[number] = key, now_s
        self._numbers.setdefault(key, []).append(number)
        if len(self._sent) > KEPT:
            self._forget()

    def is_own(self, key: Key, now_s: float) -> bool:
        """Return whether a message is a publication that came back; each comes back once."""
        self._expire(now_s)
        if key not in self._numbers:
            return False
        self._drop(key, -1)  # so that one that never comes back gets old
        return True

    def lost(self) -> None:
        """Forget all: the connection was lost, and what had not come back never will."""
        self._sent.clear()
        self._numbers.clear()

    def _expire(self, now_s: float) -> None:
        while self._sent and self._oldest()[1] + self._for_s <= now_s:
            self._forget()

    def _oldest(self) -> tuple[Key, float]:
        return next(iter(self._sent.values()))

    def _forget(self) -> None:
        self.forgotten += 1
        self._drop(self._oldest()[0], 0)

    def _drop(self, key: Key, at: int) -> None:
        numbers = self._numbers[key]
        del self._sent[numbers.pop(at)]
        if not numbers:
            del self._numbers[key]


class Last:
    """Remembers the last message of each topic, sent or received."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, bytes] = OrderedDict()

    def note(self, key: Key) -> None:
        """Note a message."""
        topic, digest = key
        self._last[topic] = digest
        self._last.move_to_end(topic)
        if len(self._last) > KEPT:
            self._last.popitem(last=False)

    def is_known(self, key: Key) -> bool:
        """Return whether a topic's last message was this one."""
        return self._last.get(key[0]) == key[1]
