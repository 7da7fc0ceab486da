"""Limits of what plain brokers accept."""

from fes.errors import AdapterError


def check_size(size_bytes: int, limit_bytes: int) -> None:
    """Check a payload before it is published.

    Raises:
        AdapterError: It is larger than the broker accepts.
    """
    if size_bytes > limit_bytes:
        raise AdapterError(
            f"payload of {size_bytes} bytes exceeds the limit of {limit_bytes} bytes"
        )
