"""Addresses of servers, with the user, the password and the files that they require."""

import os
from pathlib import Path
from typing import TypeVar

import msgspec
from eventservices.credentials import read_password, with_credentials
from eventservices.errors import MalformedError, RefusedError
from eventservices.secure import Access, with_access
from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.login import Login, Tls
from fes.federation.model import Federation

LoginT = TypeVar("LoginT", bound=Login)


def address(federation: Federation, broker: str) -> str:
    """Return a broker's URL for a client; it may contain a password and must not be shown.

    Args:
        federation: The file, resolved.
        broker: Name of the broker.

    Raises:
        FederationError: It has no URL, or its password file contains no password.
    """
    told = federation.brokers[broker]
    if told.url is UNSET:
        raise FederationError("has no url; `fes run` assigns one", key=f"brokers.{broker}")
    return _complete(told.url, told, f"brokers.{broker}")


def store_addresses(federation: Federation, gateway: str) -> tuple[str, ...]:
    """Return the URLs of the servers that keep a gateway's journal; see `address`.

    Args:
        federation: The file, resolved.
        gateway: Name of the gateway.

    Raises:
        FederationError: Its password file contains no password.
    """
    told = federation.gateways[gateway].store
    return tuple(_complete(url, told, f"gateways.{gateway}.store") for url in told.urls)


def public_address(url: str, login: Login) -> str:
    """Return the URL of a server with what gains access there, but for user and password.

    Args:
        url: As in the file.
        login: What gains access there.
    """
    return with_access(url, access_of(login))


def access_of(login: Login) -> Access:
    """Return the files of a login.

    Raises:
        MalformedError: There is a key and no certificate.
    """
    files = Tls() if login.tls is UNSET else login.tls
    told = {name: getattr(files, name) for name in Tls.__struct_fields__}
    for name in ("credentials_file", "token_file", "mechanism"):
        told[name] = getattr(login, name, UNSET)
    return Access(**{name: value for name, value in told.items() if value is not UNSET})


def anchored(federation: Federation, base: Path) -> Federation:
    """Return a federation whose files of logins are absolute.

    Args:
        federation: A file's content.
        base: Folder of the file, absolute.
    """
    replace = msgspec.structs.replace
    brokers = {name: _anchored(each, base) for name, each in federation.brokers.items()}
    gateways = {
        name: replace(each, store=_anchored(each.store, base))
        for name, each in federation.gateways.items()
    }
    return replace(federation, brokers=brokers, gateways=gateways)


def files_of(login: Login) -> dict[tuple[str, ...], str]:
    """Return the files that a login names, by the path of their key."""
    found = {}
    for part, path in ((login, ()), (login.tls, ("tls",))):
        for name in () if part is UNSET else part.__struct_fields__:
            value = getattr(part, name)
            if name.endswith("_file") and value is not UNSET:
                found[*path, name] = value
    return found


def _anchored(login: LoginT, base: Path) -> LoginT:
    replace = msgspec.structs.replace
    own: dict[str, object] = {}
    tls: dict[str, object] = {}
    for path, name in files_of(login).items():
        (tls if len(path) > 1 else own)[path[-1]] = str(base / name)
    if login.tls is not UNSET:
        own["tls"] = replace(login.tls, **tls)
    return replace(login, **own)


def _complete(url: str, told: Login, key: str) -> str:
    try:
        found = public_address(url, told)
    except MalformedError as error:
        raise FederationError(str(error), key=f"{key}.tls") from error
    password = _password(told, key)
    return with_credentials(found, told.user, password)


def _password(told: Login, key: str) -> str:
    if told.password_env is not UNSET:
        # Read here and nowhere else, so that no copy of the file has the password.
        password = os.environ.get(told.password_env, "")
        if not password:
            reason = f"variable {told.password_env} is not set, or is empty"
            raise FederationError(reason, key=f"{key}.password_env")
        return password
    if told.password_file is UNSET:
        return ""
    try:
        return read_password(Path(told.password_file))
    except RefusedError as error:
        raise FederationError(str(error), key=f"{key}.password_file") from error
