"""Tokens that vouch for a user: signed with the building's secret, and valid until a time."""

import hashlib
import hmac
from typing import Final

from eventservices.bus.errors import SubscriptionError

_SEPARATOR: Final = "|"


def issue(secret: bytes, user: str, until_us: int) -> str:
    """Return a token.

    Args:
        secret: The building's.
        user: Whom it vouches for.
        until_us: When it ends; microseconds since 1970 UTC.
    """
    head = f"{user}{_SEPARATOR}{until_us}"
    return f"{head}{_SEPARATOR}{_sign(secret, head)}"


def user_of(secret: bytes, token: str, now_us: int) -> str:
    """Return the user that a token vouches for.

    Raises:
        SubscriptionError: It is not signed with the secret, or its time is over.
    """
    head, _, signature = token.rpartition(_SEPARATOR)
    user, _, until = head.rpartition(_SEPARATOR)
    if not hmac.compare_digest(signature.encode(), _sign(secret, head).encode()):
        raise SubscriptionError("the user's token is not signed by this building")
    if not until.isdecimal() or int(until) <= now_us:
        raise SubscriptionError("the user's token has expired")
    return user


def _sign(secret: bytes, head: str) -> str:
    return hmac.new(secret, head.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
