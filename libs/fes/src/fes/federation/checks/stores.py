"""Checks where gateways keep their journals."""

import msgspec
from eventservices.addresses import split_url
from msgspec import UNSET

from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation, Store

SCHEMES = ("nats", "tls")
"""The beginning of a NATS server's address."""


def check_stores(federation: Federation, report: Report) -> None:
    """Report stores without an address, or with keys that their kind does not use.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    for name, gateway in federation.gateways.items():
        path = ("gateways", name, "store")
        if gateway.store.kind == "sqlite":
            _check_sqlite(report, gateway.store, path)
        else:
            _check_jetstream(report, gateway.store, path)


def _check_sqlite(report: Report, store: Store, path: Path) -> None:
    usual = Store()
    for field in msgspec.structs.fields(Store):
        if field.name != "kind" and getattr(store, field.name) != getattr(usual, field.name):
            message = "it belongs to kind jetstream, and the kind is sqlite"
            report.error((*path, field.encode_name), message)


def _check_jetstream(report: Report, store: Store, path: Path) -> None:
    if store.url is UNSET:
        report.error(path, "key 'url' is missing, which kind jetstream needs")
    for url in store.urls:
        fault = _fault_of(url)
        if fault:
            report.error((*path, "url"), fault)
    if len(set(store.urls)) < len(store.urls):
        report.error((*path, "url"), "a server is listed twice")


def _fault_of(url: str) -> str:
    """Return what is wrong with an address; "" where it is valid."""
    try:
        parts = split_url(url)
        good = parts.scheme in SCHEMES and bool(parts.hostname)
    except ValueError:
        good = False
    plain = good and not (parts.path or parts.fragment)
    if plain:
        return ""
    shown = url.rpartition("@")[2][:60]
    return f"expected nats://host:port, several separated by commas, found {shown!r}"
