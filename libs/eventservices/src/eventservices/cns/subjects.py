"""How a channel lies on NATS subjects.

| subject | carries |
|---|---|
| `cns.event.<channel>` | best-effort events: MessagePack; the header `Event-Stamp` is the stamp |
| `cns.keep.<channel>` | persistent events, the same; a stream of JetStream keeps them |
| `cns.change.<channel>` | offers and subscriptions of the channel's members: MessagePack |
| `_INBOX.<unique>` | a member's answers to a query of a new member |

`<channel>` is the channel's name, UTF-8, with every byte outside `[A-Za-z0-9_-]` percent-encoded,
so that no name can reach another channel or contain a wildcard.
"""

from urllib.parse import quote

from eventservices.cns.errors import InvalidChannelNameError

EVENT_PREFIX = "cns.event."
KEEP_PREFIX = "cns.keep."
CHANGE_PREFIX = "cns.change."
INBOX_PREFIX = "_INBOX."
MAX_CHANNEL_BYTES = 255
"""Longest name of a channel, percent-encoded."""


def channel_token(name: str) -> str:
    """Return a channel's name as one token of a NATS subject.

    Args:
        name: Any text that is not empty.

    Returns:
        ASCII, at most `MAX_CHANNEL_BYTES` long.

    Raises:
        InvalidChannelNameError: The name is empty, too long, or contains half a surrogate pair.
    """
    if not name:
        raise InvalidChannelNameError("a channel's name is empty")
    try:
        token = quote(name, safe="").replace(".", "%2E").replace("~", "%7E")
    except UnicodeEncodeError as error:
        raise InvalidChannelNameError(f"a channel's name is not Unicode text: {name!r}") from error
    if len(token) > MAX_CHANNEL_BYTES:
        raise InvalidChannelNameError(
            f"a channel's name has {len(token)} bytes percent-encoded, "
            f"more than {MAX_CHANNEL_BYTES}: {name[:40]!r}…"
        )
    return token
