"""TLS of the standard library, from files that are read when a connection is made.

A file that was replaced since is used by the next connection. What is wrong with one is stated by
its name, before anybody connects.
"""

import asyncio
import ssl
from pathlib import Path
from typing import Any, Final

from eventservices.errors import RefusedError
from eventservices.secure.access import Access

MOST_BYTES: Final = 4 * 1024 * 1024
"""Largest file of certificates; those of a whole system have about 200 KiB."""

_CERTIFICATE: Final = b"-----BEGIN CERTIFICATE-----"
_KEY: Final = b"PRIVATE KEY-----"
"""Ends the first line of a key of every kind."""


class _Named(ssl.SSLContext):
    """Verifies a name that differs from the host's, whatever library makes the connection."""

    server_name = ""

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,  # noqa: FBT001, FBT002 - the standard library's own signature
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Wrap buffers, as the event loop does."""
        name = self.server_name or server_hostname
        return super().wrap_bio(incoming, outgoing, server_side, name, session)

    def wrap_socket(self, sock: Any, *given: Any, **named: Any) -> ssl.SSLSocket:
        """Wrap a socket, as libraries with threads do."""
        if self.server_name:
            named["server_hostname"] = self.server_name
        return super().wrap_socket(sock, *given, **named)


async def client_context(access: Access) -> ssl.SSLContext:
    """Return how a client speaks TLS; see `make_context`. Files are read in a thread."""
    return await asyncio.to_thread(make_context, access)


def make_context(access: Access) -> ssl.SSLContext:
    """Return how a client speaks TLS: 1.2 or 1.3, and the broker's certificate is verified.

    It reads files, so the event loop calls `client_context`.

    Args:
        access: Files, and whether the broker is verified.

    Raises:
        RefusedError: A file cannot be read or is not what it should be; names it, and nothing of
            what it contains.
    """
    context = _Named(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.server_name = access.server_name
    if not access.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif access.ca_file:
        _add(context, "ca_file", access.ca_file)
    else:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if access.certificate_file:
        _identify(context, access.certificate_file, access.key_file)
    return context


def _add(context: ssl.SSLContext, what: str, name: str) -> bytes:
    """Add the certificates of a file to those that are trusted, and return its content."""
    data = read_pem(what, name)
    try:
        context.load_verify_locations(cadata=data.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError) as error:
        raise RefusedError(f"{what} {name}: {_damage(error)}") from None
    return data


def _identify(context: ssl.SSLContext, certificate: str, key: str) -> None:
    # Read on its own first: OpenSSL does not report which of two files is damaged.
    data = _add(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "certificate_file", certificate)
    what, where = ("key_file", key) if key else ("certificate_file", certificate)
    keys = _read(what, where) if key else data
    _check_key(what, where, keys)
    try:
        context.load_cert_chain(certificate, key or None, password="")  # else OpenSSL prompts
    except (ssl.SSLError, OSError, ValueError) as error:
        raise RefusedError(f"{what} {where}: {_damage(error)}") from None


def read_pem(what: str, name: str) -> bytes:
    """Return the content of a file that has a certificate at least.

    Args:
        what: Name of the setting.
        name: Path of the file.

    Raises:
        RefusedError: It cannot be read, is too large, or has no certificate in PEM form.
    """
    data = _read(what, name)
    if _CERTIFICATE not in data:
        raise RefusedError(f"{what} {name}: is not PEM: it has no line {_CERTIFICATE.decode()}")
    return data


def _read(what: str, name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RefusedError(f"{what} {name}: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise RefusedError(f"{what} {name}: is larger than {MOST_BYTES} bytes")
    return data


def _check_key(what: str, name: str, data: bytes) -> None:
    if _KEY not in data:
        raise RefusedError(f"{what} {name}: has no private key in PEM form")
    if b"ENCRYPTED" in data:
        raise RefusedError(f"{what} {name}: its private key is encrypted; store it in the clear")


def _damage(error: Exception) -> str:
    text = str(error).lower()
    if "key values mismatch" in text:
        return "its private key does not belong to the certificate"
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
        return error.strerror or "cannot be read"
    return "its PEM is damaged"
