"""What the native client reports beside an answer: why it does not reach a broker."""

import re
from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import KafkaError

from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.kafka.record import text_of

_REPORTED: Final = (
    KafkaError._SSL,
    KafkaError._AUTHENTICATION,
    KafkaError._TRANSPORT,
    KafkaError._RESOLVE,
)

_REFUSED: Final = (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED)

_PLACE: Final = re.compile(r"[a-z_+]+://([^/\s]+)/\S*: ")
"""How the client begins the text of an error: protocol, address and name of a broker."""

_KNOWN: Final = (
    (
        "certificate verify failed",
        "its certificate is signed by no authority of `ca_file`, has expired, or has another name",
    ),
    ("record layer failure", "what answers does not speak TLS at this port"),
    ("wrong version number", "what answers does not speak TLS at this port"),
    ("packet length too long", "what answers does not speak TLS at this port"),
    ("certificate required", "the broker requires a client's certificate: `certificate_file`"),
    ("handshake failed: Disconnected", "what answers does not speak TLS at this port"),
)
"""Parts of texts of OpenSSL's, and what they mean here."""


class Troubles:
    """Keeps the last report of a native client; it is called from threads of the client's.

    Args:
        settings: Of the client.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._last: KafkaError | None = None
        secure = str(settings.get("security.protocol", "")).endswith("SSL")
        self._hint = (
            f"; does {settings['bootstrap.servers']} {'speak' if secure else 'expect'} TLS?"
        )

    def put(self, error: KafkaError) -> None:
        """Note a report, where it is about a connection; `error_cb` of the client."""
        if error.code() in _REPORTED or error.code() in _REFUSED:
            self._last = error

    def over(self) -> None:
        """Note that a broker answered: what it speaks is what was expected, from now on."""
        self._last, self._hint = None, ""

    def away(self, error: KafkaError) -> EventServiceError:
        """Return why there is no answer, in one line; a wrong password is final.

        Args:
            error: What the request came to.
        """
        last, self._last = self._last, None
        if last is None:
            return NotConnectedError(text_of(error) + self._hint)
        kind = RefusedError if last.code() in _REFUSED else NotConnectedError
        return kind(plain(last))


def plain(error: KafkaError) -> str:
    """Return a report as one line: where, and what is wrong."""
    text = " ".join(error.str().split())
    place = _PLACE.match(text)
    where, said = (place[1], text[place.end() :]) if place else ("", text)
    for part, meaning in _KNOWN:
        if part in said and where:
            return f"no secure connection to {where}: {meaning}"
    return text_of(error) if not where else f"{where}: {said[:300]}"
