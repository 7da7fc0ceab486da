"""Native subjects: where a service's notifications and control messages go on NATS.

`siena.<service>.n` carries notifications, `siena.<service>.n.<token>` where the service has an
index: the token represents the value of the index attribute, so that the broker itself delivers
only what may match. `siena.<service>.c` carries control messages.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote

from eventservices.siena.filters import Filter, Op
from eventservices.siena.values import Value, check_name
from eventservices.text import check_text

ELSE_TOKEN = "!"  # noqa: S105 - a token of a subject
"""Subject token of notifications that lack the index attribute, or have no string there."""

MAX_TOKEN_CHARACTERS = 120
MAX_SERVICE_CHARACTERS = 255


class Subjects:
    """The native subjects of one service.

    Args:
        service: Its name; not empty.
        index: Name of the string attribute that becomes a token; None for one subject.

    Raises:
        MalformedError: The service has no usable name, or `index` is not an attribute name.
    """

    def __init__(self, service: str, index: str | None = None) -> None:
        check_text(service, "a service's name", MAX_SERVICE_CHARACTERS)
        base = f"siena.{encode_token(service)}"
        self.service = service
        self.index = None if index is None else check_name(index)
        self.control = f"{base}.c"
        self.notifications = f"{base}.n"

    def inbox(self, connection: str) -> str:
        """Return the subject for control messages to one connection only."""
        return f"{self.control}.{encode_token(connection)}"

    def publish_to(self, attributes: Mapping[str, Value]) -> str:
        """Return the subject that a notification goes to."""
        if self.index is None:
            return self.notifications
        return f"{self.notifications}.{_value_token(attributes.get(self.index))}"

    def subscribe_to(self, what: Filter) -> str:
        """Return the subject that carries all that a filter may match.

        One token where the filter has an equality on the index attribute, else every token.
        """
        if self.index is None:
            return self.notifications
        for constraint in what.on(self.index):
            if constraint.op is Op.EQ:
                return f"{self.notifications}.{_value_token(constraint.value)}"
        return f"{self.notifications}.*"


def encode_token(text: str) -> str:
    """Return a text as one token of a subject: percent-encoded, or a hash where that is long."""
    return _encode_short(text) if len(text) <= MAX_TOKEN_CHARACTERS else _hash(text)


@lru_cache(maxsize=4096)
def _encode_short(text: str) -> str:
    token = quote(text, safe="").replace(".", "%2E").replace("~", "%7E")
    return token if len(token) <= MAX_TOKEN_CHARACTERS else _hash(text)


def _hash(text: str) -> str:
    return f"#{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _value_token(value: Value | None) -> str:
    return f"={encode_token(value)}" if isinstance(value, str) else ELSE_TOKEN
