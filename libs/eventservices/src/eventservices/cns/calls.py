"""Calls to the client's own functions: what they raise harms nobody else."""

import inspect
import logging
from collections.abc import Callable
from enum import Enum

from eventservices.cns.errors import DisconnectedError, InterfaceError

log = logging.getLogger(__name__)


def call_client(function: Callable[..., None] | None, *arguments: object) -> bool:
    """Call a client's function, if it has it.

    Returns:
        Whether it returned; what it raised is logged.
    """
    if function is None:
        return True
    try:
        function(*arguments)
    except Exception:  # a client may raise anything
        log.exception("client_failed")
        return False
    return True


class Outcome(Enum):
    """What became of events that were handed to a client."""

    TAKEN = 0
    FAILED = 1
    GONE = 2


def hand_over(function: Callable[..., None], *arguments: object) -> Outcome:
    """Hand events to a client's function.

    Returns:
        Whether it returned; it is gone where it raised `DisconnectedError`. What else it raised is
        logged.
    """
    try:
        function(*arguments)
    except DisconnectedError:
        return Outcome.GONE
    except Exception:  # a client may raise anything
        log.exception("client_failed")
        return Outcome.FAILED
    return Outcome.TAKEN


def operation(client: object, name: str) -> Callable[..., None]:
    """Return a client's operation.

    Raises:
        InterfaceError: The client does not have it, or it is a coroutine function, which nobody
            would await.
    """
    found = getattr(client, name, None)
    if not callable(found):
        raise InterfaceError(f"{type(client).__name__} has no operation {name!r}")
    if inspect.iscoroutinefunction(found):
        raise InterfaceError(f"{name!r} of {type(client).__name__} must be a plain function")
    function: Callable[..., None] = found
    return function


def optional_operation(client: object, name: str) -> Callable[..., None] | None:
    """Return a client's operation, or None where it does not have it.

    Raises:
        InterfaceError: It is not a plain function.
    """
    return None if getattr(client, name, None) is None else operation(client, name)


def pulled_operation(client: object, name: str) -> Callable[..., object]:
    """Return a pull supplier's operation, a plain or a coroutine function.

    Raises:
        InterfaceError: The client does not have it.
    """
    found = getattr(client, name, None)
    if not callable(found):
        raise InterfaceError(f"{type(client).__name__} has no operation {name!r}")
    function: Callable[..., object] = found
    return function
