"""How a channel's store and its consumers are named at the broker."""

import hashlib
from typing import Final

from eventservices.cns.subjects import channel_token
from eventservices.errors import MalformedError

_MAX: Final = 120  # stream and consumer together are part of one subject, and are file names
_PREFIX: Final = "CNS_"


def stream_name(token: str) -> str:
    """Return the name of the stream that keeps a channel's persistent events.

    Args:
        token: The channel's name as a subject's token.
    """
    return _PREFIX + _shortened(token)


def consumer_name(durable: str) -> str:
    """Return the broker's name for a durable name.

    Raises:
        MalformedError: The name is empty, too long or not Unicode text.
    """
    if not durable:
        raise MalformedError("a durable name is empty")
    return _shortened(channel_token(durable))


def _shortened(token: str) -> str:
    if len(token) <= _MAX:
        return token
    digest = hashlib.sha256(token.encode()).hexdigest()[:32]
    return f"{token[: _MAX - 33]}-{digest}"
