"""Settings of the native client that state where a cluster is, and how access is gained there."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from eventservices.addresses import split_url
from eventservices.errors import MalformedError
from eventservices.secure import Access, client_context, one_access, split_access

PORT: Final = 9092
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def addresses(brokers: Sequence[str]) -> dict[str, Any]:
    """Return the settings of the native client for some brokers.

    Args:
        brokers: `kafka://[user:password@]host:port`, or `kafka+ssl://…` with files in its query
            (`eventservices.secure`); the user of the first is for all.

    Raises:
        MalformedError: An address is not one, or has what the native client cannot do.
    """
    found = [split_access(each, own=("mechanism",)) for each in brokers]
    parts = [split_url(bare) for bare, _ in found]
    access, secure = one_access(each for _, each in found), parts[0].scheme == "kafka+ssl"
    if {each.scheme for each in parts} - {"kafka+ssl" if secure else "kafka"}:
        raise MalformedError("addresses of Kafka begin with kafka://, or all with kafka+ssl://")
    _check(access)
    settings = {"bootstrap.servers": ",".join(f"{p.hostname}:{p.port or PORT}" for p in parts)}
    user = parts[0].username
    if secure or user is not None:
        kind = "SASL_" if user is not None else ""
        settings["security.protocol"] = kind + ("SSL" if secure else "PLAINTEXT")
    if secure:
        settings |= _tls(access)
    if user is not None:
        settings |= {
            "sasl.mechanism": access.mechanism or MECHANISMS[0],
            "sasl.username": unquote(user),
            "sasl.password": unquote(parts[0].password or ""),
        }
    return settings


async def check_files(brokers: Sequence[str]) -> None:
    """Read the files that the native client reads itself, whose errors name none of them.

    Raises:
        RefusedError: One cannot be read, or is not what it should be.
    """
    for each in brokers:
        bare, access = split_access(each)
        if bare.startswith("kafka+ssl://"):
            await client_context(access)


def _check(access: Access) -> None:
    if access.server_name:
        raise MalformedError("server_name: the client of Kafka expects the name in the address")
    if access.mechanism and access.mechanism not in MECHANISMS:
        known = ", ".join(MECHANISMS)
        raise MalformedError(f"mechanism {access.mechanism[:40]!r} is none of {known}")


def _tls(access: Access) -> dict[str, str]:
    settings = {
        "ssl.ca.location": access.ca_file,
        "ssl.certificate.location": access.certificate_file,
        "ssl.key.location": access.key_file or access.certificate_file,
        "enable.ssl.certificate.verification": "" if access.verify else "false",
    }
    return {name: value for name, value in settings.items() if value}
