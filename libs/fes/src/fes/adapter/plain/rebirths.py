"""Messages read, and the requests published that reading them leads to."""

from collections.abc import Callable, Mapping

from eventservices.errors import EventServiceError
from eventservices.stamp import Stamp

from fes.adapter.context import Received
from fes.adapter.plain.codec import PlainCodec
from fes.errors import FesError


class Rebirths:
    """Reads messages, and requests nodes of Sparkplug to repeat their births where one is missing.

    Args:
        codec: Reads the messages.
        clock_us: The federation's clock.
        send: Publishes a payload on a topic.

    Attributes:
        unsent: Requests that could not be published; the next message leads to another.
    """

    def __init__(
        self, codec: PlainCodec, clock_us: Callable[[], int], send: Callable[[str, bytes], None]
    ) -> None:
        self.unsent = 0
        self._codec = codec
        self._clock_us = clock_us
        self._send = send

    def counters(self) -> dict[str, int]:
        """Return what payloads lost, and what was requested, by name."""
        own = {} if self._codec.sparkplug is None else {"rebirths_unsent": self.unsent}
        return {**self._codec.counters(), **own}

    def to_native(
        self, topic: str, headers: Mapping[str, str], payload: bytes, stamp: Stamp | None
    ) -> Received | None:
        """Return the native event of a message; see `PlainCodec.to_native`."""
        try:
            return self._codec.to_native(topic, headers, payload, stamp)
        finally:
            self._request()

    def _request(self) -> None:
        if self._codec.sparkplug is None:
            return
        for command in self._codec.sparkplug.commands(self._clock_us()):
            try:
                self._send(command.topic, command.payload)
            except (FesError, EventServiceError):
                self.unsent += 1
