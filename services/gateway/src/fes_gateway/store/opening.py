"""Opens the journal that the federation file specifies."""

from pathlib import Path

from fes.federation.address import store_addresses
from fes.federation.model import Federation
from fes.filename import file_name

from fes_gateway.store.jetstream import JetStreamJournal, StreamSettings, stream_name
from fes_gateway.store.journal import Journal
from fes_gateway.store.sqlite import SqliteJournal


def open_journal(federation: Federation, gateway: str, run_folder: Path) -> Journal:
    """Return the journal of a gateway, the same for each of its replicas.

    Args:
        federation: The file, checked and resolved.
        gateway: Name of the gateway.
        run_folder: Folder of the run, which contains a journal in a file.

    Raises:
        StoreError: The file cannot be opened. Servers that are away are noticed at the first use.
        FederationError: The file with the password cannot be read.
    """
    store = federation.gateways[gateway].store
    if store.kind == "sqlite":
        return SqliteJournal(run_folder / "store" / f"{file_name(gateway)}.sqlite")
    urls = store_addresses(federation, gateway)
    name = stream_name(federation.system, gateway)
    return JetStreamJournal(StreamSettings(urls, name, store.copies))
