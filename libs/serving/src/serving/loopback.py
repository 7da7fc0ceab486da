"""HTTP clients for the parts of a run: never through a proxy.

`httpx` obeys HTTP_PROXY, ALL_PROXY and NO_PROXY, and `.netrc`. These are for the outside world; a
gateway on loopback, or in a container beside this one, is not reached through a proxy.
"""

from typing import Any

import httpx


class NoAnswerError(ConnectionError):
    """Raised when nothing that speaks HTTP answers, or the address is not valid."""


def client(timeout_s: float) -> httpx.Client:
    """Return a client that ignores environment variables.

    Args:
        timeout_s: Longest wait for a connection, and for each part of an answer.
    """
    return httpx.Client(trust_env=False, timeout=timeout_s)


def async_client(timeout_s: float) -> httpx.AsyncClient:
    """Return a client for an event loop that ignores environment variables.

    Args:
        timeout_s: Longest wait for a connection, and for each part of an answer.
    """
    return httpx.AsyncClient(trust_env=False, timeout=timeout_s)


def ask(method: str, url: str, body: Any = None, *, timeout_s: float) -> httpx.Response:
    """Send one request, and return the answer.

    Args:
        method: `GET`, `POST` and so on.
        url: The address.
        body: Sent as JSON; None for none.
        timeout_s: Longest wait for a connection, and for each part of an answer.

    Raises:
        NoAnswerError: There is no answer, or the address is not valid.
    """
    try:
        with client(timeout_s) as asking:
            return asking.request(method, url, json=body)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise NoAnswerError(str(error) or type(error).__name__) from error
