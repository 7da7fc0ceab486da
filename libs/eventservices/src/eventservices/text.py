"""Checks of the names that clients choose and that go to others."""

from eventservices.errors import MalformedError


def check_text(text: str, what: str, most: int, *, least: int = 1) -> str:
    """Return `text` if it is Unicode text of a length that may be sent.

    Args:
        text: The caller's argument.
        what: What it is, for the message.
        most: Longest that it may be, in characters.
        least: Shortest that it may be.

    Raises:
        MalformedError: It is too short, too long, or contains half a surrogate pair.
    """
    if not least <= len(text) <= most:
        raise MalformedError(f"{what} must have {least} .. {most} characters: {text[:100]!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedError(f"{what} is not Unicode text: {text[:100]!r}") from error
    return text
