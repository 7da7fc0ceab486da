"""HTTP clients for our own parts: never through a proxy.

`httpx` obeys HTTP_PROXY, ALL_PROXY and NO_PROXY, and `.netrc`. What they name is for the world
outside; a gateway on loopback, or beside us in a container, is not reached through it.
"""

from typing import Any

import httpx


def client(timeout_s: float) -> httpx.Client:
    """Return a client that obeys no variable of the environment.

    Args:
        timeout_s: Longest wait for a connection, and for each part of an answer.
    """
    return httpx.Client(trust_env=False, timeout=timeout_s)


def async_client(timeout_s: float) -> httpx.AsyncClient:
    """Return a client for a loop that obeys no variable of the environment.

    Args:
        timeout_s: Longest wait for a connection, and for each part of an answer.
    """
    return httpx.AsyncClient(trust_env=False, timeout=timeout_s)


def ask(method: str, url: str, body: Any = None, *, timeout_s: float) -> httpx.Response:
    """Ask once, and return the answer.

    Args:
        method: `GET`, `POST` and so on.
        url: The address.
        body: Sent as JSON; None for none.
        timeout_s: Longest wait for a connection, and for each part of an answer.

    Raises:
        httpx.HTTPError: Nobody answers.
        httpx.InvalidURL: The address is none.
    """
    with client(timeout_s) as asking:
        return asking.request(method, url, json=body)
