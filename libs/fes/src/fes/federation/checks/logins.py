"""Checks how access is gained to servers: users, passwords, certificates."""

from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath
from typing import Final

from eventservices.addresses import split_url
from eventservices.errors import MalformedError, RefusedError
from eventservices.secure.access import SECURE, not_secure
from eventservices.secure.context import make_context
from msgspec import UNSET

from fes.federation.address import access_of, anchored, files_of
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.login import Login
from fes.federation.model import Federation

ONLY: Final = {"credentials_file": "nats", "token_file": "nats", "mechanism": "kafka"}
"""The kind of servers that a key is for."""


def check_logins(federation: Federation, report: Report) -> None:
    """Report logins that contradict themselves, or that their server does not understand.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    for path, kind, urls, login in _logins(federation):
        _check_passwords(report, path, login)
        _check_kind(report, path, kind, login)
        _check_tls(report, path, urls, login)


def find_files(federation: Federation, report: Report, base: FilePath) -> None:
    """Report files of logins that are not there, and certificates that are not valid PEM.

    A file that is not there is a warning: it may be on the machine where the federation runs.

    Args:
        federation: Valid, and checked.
        report: Collects the findings.
        base: Folder of the file.
    """
    for path, _, _, login in _logins(anchored(federation, base.resolve())):
        absent = {
            each: name for each, name in files_of(login).items() if not FilePath(name).exists()
        }
        for each, name in absent.items():
            report.warning((*path, *each), f"there is no file {name} on this machine")
        if login.tls is not UNSET and not any(each[0] == "tls" for each in absent):
            try:
                make_context(access_of(login))
            except RefusedError as error:
                report.error((*path, "tls"), str(error))


def _logins(federation: Federation) -> Iterator[tuple[Path, str, tuple[str, ...], Login]]:
    """Return path, kind and addresses of each login."""
    for name, broker in federation.brokers.items():
        yield ("brokers", name), broker.kind, () if broker.url is UNSET else (broker.url,), broker
    for name, gateway in federation.gateways.items():
        yield ("gateways", name, "store"), "nats", gateway.store.urls, gateway.store


def _check_passwords(report: Report, path: Path, login: Login) -> None:
    given = [name for name in ("password_file", "password_env") if _has(login, name)]
    if len(given) > 1:
        report.error((*path, given[1]), "key 'password_file' is there, too: which one counts?")
    if given and not login.user:
        report.error((*path, given[0]), "key 'user' is missing: whose password is it?")
    proofs = [name for name in ("credentials_file", "token_file") if _has(login, name)]
    if len(proofs) > 1 or (proofs and login.user):
        other = proofs[0] if len(proofs) > 1 else "user"
        report.error((*path, proofs[-1]), f"key {other!r} is there, too: which one counts?")


def _check_kind(report: Report, path: Path, kind: str, login: Login) -> None:
    for name, only in ONLY.items():
        if _has(login, name) and kind != only:
            report.error((*path, name), f"it belongs to kind {only}, and the kind is {kind}")
    if _has(login, "mechanism") and not login.user:
        report.error((*path, "mechanism"), "key 'user' is missing")
    if kind == "kafka" and login.tls is not UNSET and login.tls.server_name is not UNSET:
        message = "the client of Kafka expects the name that is in the url"
        report.error((*path, "tls", "server_name"), message)


def _check_tls(report: Report, path: Path, urls: Iterable[str], login: Login) -> None:
    for url in urls:
        try:
            parts = split_url(url)
        except MalformedError:  # a finding of its own
            continue
        if parts.query:
            message = "certificates are named by the key 'tls', not by the query of the url"
            report.error((*path, "url"), message)
        elif login.tls is not UNSET and parts.scheme not in SECURE:
            report.error((*path, "tls"), not_secure(parts.scheme))
    if login.tls is UNSET:
        return
    try:
        access_of(login)
    except MalformedError as error:
        report.error((*path, "tls"), str(error))
    if not urls:
        report.error((*path, "tls"), "key 'url' is missing: what is started here speaks no TLS")
    if not login.tls.verify:
        message = "whoever answers at this address is believed to be the server"
        report.warning((*path, "tls", "verify"), message)


def _has(login: Login, name: str) -> bool:
    return getattr(login, name, UNSET) is not UNSET
