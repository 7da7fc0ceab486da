"""The address of a server, as it is written in files and options."""

from urllib.parse import SplitResult, urlsplit

from eventservices.errors import MalformedError


def split_url(url: str) -> SplitResult:
    """Split an address whose port, where it has one, is from 1 to 65535.

    Args:
        url: `scheme://[user:password@]host[:port]`, with more behind it or not.

    Raises:
        MalformedError: It is not one; the message shows neither user nor password.
    """
    shown = url.rpartition("@")[2][:200]
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise MalformedError(f"{shown!r} is not an address: {error}") from None
    try:
        is_port = parts.port != 0
    except ValueError:
        is_port = False
    if is_port:
        return parts
    if "@" in url and "@" not in parts.netloc:
        rule = "`/`, `?` and `#` in a user's name or password are percent-encoded"
        raise MalformedError(f"the address of {shown!r} is none: {rule}")
    raise MalformedError(f"the port of {shown!r} is not a number from 1 to 65535")
