"""Where a broker listens, with the name and the password that it asks for."""

from pathlib import Path

from eventservices.credentials import read_password, with_credentials
from eventservices.errors import RefusedError
from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.model import Federation


def address(federation: Federation, broker: str) -> str:
    """Return a broker's url for a client; it may carry a password and is not for people.

    Args:
        federation: The file, resolved.
        broker: Name of the broker.

    Raises:
        FederationError: It has no url, or its password file holds no password.
    """
    told = federation.brokers[broker]
    if told.url is UNSET:
        raise FederationError("has no url; `fes run` gives it one", key=f"brokers.{broker}")
    if told.password_file is UNSET:
        return with_credentials(told.url, told.user, "") if told.user else told.url
    try:
        password = read_password(Path(told.password_file))
    except RefusedError as error:
        raise FederationError(str(error), key=f"brokers.{broker}.password_file") from error
    return with_credentials(told.url, told.user, password)
