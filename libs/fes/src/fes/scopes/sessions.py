"""Sessions: which one a component reacts in, hidden from what it publishes and receives.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.6.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from fes.model import Event
from fes.scopes.graph import Graph

SESSION: Final = "FES_Session"
"""Attribute that carries the session on the wire; clients do not see it."""

_current: ContextVar[str] = ContextVar("session", default="")


def current_session() -> str:
    """Return the session of the event that is being reacted to; empty for none."""
    return _current.get()


@contextmanager
def within_session(session: str) -> Iterator[None]:
    """React within a session: resume one that was kept, or leave it with an empty text."""
    token = _current.set(session)
    try:
        yield
    finally:
        _current.reset(token)


def tagged(event: Event, session: str = "") -> Event:
    """Return an event as it goes on the wire: with the session of the reaction that publishes it.

    Args:
        event: As the client published it.
        session: Instead of the current one.
    """
    session = session or current_session()
    return event.with_attributes({SESSION: session}) if session else event


def session_of(event: Event) -> str:
    """Return the session that an event carries; empty for none."""
    session = event.attribute(SESSION)
    return session if isinstance(session, str) else ""


def untagged(event: Event) -> tuple[Event, str]:
    """Return an event as its client sees it, and the session that it carries; empty for none."""
    kept = tuple(field for field in event.attributes if field.id != SESSION)
    if len(kept) == len(event.attributes):
        return event, ""
    plain = Event(event.subject, event.parameters, kept)
    return plain, session_of(event)


def session_between(graph: Graph, publisher: str, consumer: str, context: str = "") -> str:
    """Return the session that an event was published in and is received in; empty for none.

    Args:
        graph: The scopes.
        publisher: Component that published the event.
        consumer: Component that receives it.
        context: Session that the publisher reacts in: it, where they share it.
    """
    if not graph.sessions:
        return ""
    shared = graph.above(publisher) & graph.above(consumer) & graph.sessions
    if context in shared:
        return context
    return min(shared, key=lambda name: (-len(graph.above(name)), graph.place(name)), default="")
