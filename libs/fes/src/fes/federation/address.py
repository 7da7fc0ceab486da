"""Addresses of servers, with the user and the password that they require."""

from pathlib import Path

from eventservices.credentials import read_password, with_credentials
from eventservices.errors import RefusedError
from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.model import Broker, Federation, Store


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


def _complete(url: str, told: Broker | Store, key: str) -> str:
    if told.password_file is UNSET:
        return with_credentials(url, told.user, "") if told.user else url
    try:
        password = read_password(Path(told.password_file))
    except RefusedError as error:
        raise FederationError(str(error), key=f"{key}.password_file") from error
    return with_credentials(url, told.user, password)
