"""The session that a client reacts in: hidden from what it does, carried by what it publishes.

A customer's or engine's own code calls `publish` as ever. What an event carried is current while
the event is reacted to; it may be kept, and resumed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from stock_market.story import SIENA_SESSION

_current: ContextVar[str] = ContextVar("session", default="")


def current() -> str:
    """Return the session that is being reacted in; empty for none."""
    return _current.get()


@contextmanager
def within(session: str) -> Iterator[None]:
    """React within a session."""
    token = _current.set(session)
    try:
        yield
    finally:
        _current.reset(token)


def carried(notification: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notification with the session that it is published in."""
    session = current()
    return {**notification, SIENA_SESSION: session} if session else dict(notification)
