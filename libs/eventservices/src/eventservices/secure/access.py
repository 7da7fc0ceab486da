"""What gains access to a broker: names of files, in the query of its address.

`mqtts://host:8883?ca_file=/etc/fes/ca.pem` is one text that every client, command and file may use;
no secret is in the query, only where it is read.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from eventservices.addresses import split_url
from eventservices.errors import MalformedError

SECURE: Final = ("mqtts", "tls", "kafka+ssl", "stomp+ssl", "https", "wss")
"""Schemes of addresses to which a connection is made with TLS."""

OWN: Final = ("credentials_file", "token_file", "mechanism")
"""Settings that only some kinds of brokers understand."""

_TLS: Final = ("ca_file", "certificate_file", "key_file", "server_name", "verify")
_WORDS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Access:
    """What gains access to a broker; files are read at each connection.

    Attributes:
        ca_file: PEM file with the authorities that broker certificates are signed by; those of the
            system where "".
        certificate_file: PEM file with the client's certificate, and those between it and its
            authority; "" for none.
        key_file: PEM file with its private key; "" where the certificate's file contains it.
        server_name: Name that the broker's certificate must have; the address's host where "".
        verify: Whether authority and name of the broker's certificate are verified.
        credentials_file: `.creds` file of a NATS user; "" for none.
        token_file: File with a token for NATS; "" for none.
        mechanism: SASL mechanism of Kafka; "" for PLAIN.
    """

    ca_file: str = ""
    certificate_file: str = ""
    key_file: str = ""
    server_name: str = ""
    verify: bool = True
    credentials_file: str = ""
    token_file: str = ""
    mechanism: str = ""

    def __post_init__(self) -> None:
        """Check what belongs together.

        Raises:
            MalformedError: There is a key and no certificate.
        """
        if self.key_file and not self.certificate_file:
            raise MalformedError("key_file needs certificate_file, whose key it is")

    @property
    def has_tls(self) -> bool:
        """Whether something states how TLS is to be spoken."""
        return any(getattr(self, name) != getattr(OPEN, name) for name in _TLS)


OPEN: Final = Access()
"""Nothing but the address itself."""


def with_access(url: str, access: Access) -> str:
    """Return an address with what gains access there in its query.

    Args:
        url: `scheme://[user:password@]host[:port]`, without a query.
        access: What differs from `OPEN` is added.
    """
    told = {
        each.name: _text(getattr(access, each.name))
        for each in fields(Access)
        if getattr(access, each.name) != getattr(OPEN, each.name)
    }
    return f"{url}?{urlencode(told)}" if told else url


def split_access(url: str, own: Collection[str] = OWN) -> tuple[str, Access]:
    """Return an address without its query, and what gains access there.

    Args:
        url: `scheme://[user:password@]host[:port][?name=value&…]`; names are those of `Access`.
        own: Those of `OWN` that the client of such an address understands.

    Raises:
        MalformedError: A name is unknown, occurs twice or has no value; or a setting of TLS is in
            an address without TLS, or one of another kind of broker. The message shows neither user
            nor password.
    """
    parts = split_url(url if "://" in url else f"nats://{url}")
    bare = url.partition("?")[0]
    if not parts.query:
        return bare, OPEN
    try:
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)
        access = Access(**_checked(pairs))
    except ValueError as error:
        raise MalformedError(f"the address of {parts.hostname}: {error}") from None
    if access.has_tls and parts.scheme not in SECURE:
        raise MalformedError(f"the address of {parts.hostname}: {not_secure(parts.scheme)}")
    for name in OWN:
        if getattr(access, name) and name not in own:
            raise MalformedError(
                f"the address of {parts.hostname}: {name} is not for {parts.scheme}://"
            )
    return bare, access


def one_access(given: Iterable[Access]) -> Access:
    """Return what gains access to all of several equal brokers, though one address may state it.

    Raises:
        MalformedError: Two addresses state different things.
    """
    found = dict.fromkeys(each for each in given if each != OPEN)
    if len(found) > 1:
        raise MalformedError("addresses of one service gain access differently: make them equal")
    return next(iter(found), OPEN)


def not_secure(scheme: str) -> str:
    """Return why settings of TLS do not go with a scheme, and which scheme they go with."""
    other = {"mqtt": "mqtts", "nats": "tls", "kafka": "kafka+ssl", "stomp": "stomp+ssl"}
    return f"certificates belong to TLS: write {other.get(scheme, 'tls')}://, not {scheme}://"


def _checked(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    known = {each.name for each in fields(Access)}
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name not in known:
            raise ValueError(f"{name[:60]!r} is unknown; known are {', '.join(sorted(known))}")
        if name in found or not value:
            raise ValueError(f"{name} {'occurs twice' if name in found else 'has no value'}")
        if name == "verify" and value not in _WORDS:
            raise ValueError(f"verify is true or false, not {value[:20]!r}")
        found[name] = _WORDS[value] if name == "verify" else value
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
