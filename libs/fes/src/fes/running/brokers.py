"""Embedded brokers: those for which the federation file specifies no address."""

import threading
from pathlib import Path
from urllib.parse import quote

from eventservices.errors import NotConnectedError
from eventservices.servers import NatsServer, ServerSpec
from msgspec import UNSET

from fes.errors import AdapterError, FederationError
from fes.federation.model import Federation

KINDS = ("nats", "mqtt")


def safe(name: str) -> str:
    """Return a name in a form for servers and files: percent-encoded, without spaces."""
    return quote(name, safe="")[:200]


class EmbeddedBrokers:
    """Starts and stops the brokers of a run; safe for several threads.

    Args:
        federation: The file.
        folder: Folder for their configuration, logs and stores.
    """

    def __init__(self, federation: Federation, folder: Path) -> None:
        self.servers: dict[str, NatsServer] = {}
        self._folder = folder
        self._lock = threading.Lock()
        self._stopped = False
        for name, broker in federation.brokers.items():
            if broker.url is not UNSET:
                continue
            if broker.kind not in KINDS:
                raise FederationError(
                    f"{broker.kind!r} cannot be started here; configure a url",
                    key=f"brokers.{name}.kind",
                )
            cluster = None if broker.cluster is UNSET else safe(broker.cluster)
            routes = tuple(
                server.route
                for server in self.servers.values()
                if cluster is not None and server.spec.cluster == cluster
            )
            spec = ServerSpec(
                safe(name), folder, broker.kind == "mqtt", cluster=cluster, routes=routes
            )
            self.servers[name] = NatsServer(spec)

    @property
    def urls(self) -> dict[str, str]:
        """Address by broker."""
        return {name: server.mqtt_url or server.url for name, server in self.servers.items()}

    def start(self) -> dict[str, str]:
        """Start every broker.

        Returns:
            The brokers that do not answer, and why; `revive` tries again.

        Raises:
            AdapterError: None of them starts, e.g. since no server is installed.
        """
        away: dict[str, str] = {}
        with self._lock:
            for name, server in self.servers.items():
                try:
                    if not self._stopped:
                        server.start()
                except (NotConnectedError, OSError) as error:
                    away[name] = str(error)
        if away and len(away) == len(self.servers):
            raise AdapterError(f"no broker starts: {next(iter(away.values()))}")
        return away

    def stop(self) -> None:
        """Stop every broker for good."""
        self._stopped = True
        with self._lock:
            for server in self.servers.values():
                server.stop()

    def dead(self) -> dict[str, int]:
        """Return the brokers that ended unexpectedly, with the exit status of each."""
        return {
            name: server.status or 0 for name, server in self.servers.items() if server.pid is None
        }

    def revive(self, name: str) -> bool:
        """Start a broker again; return False where it does not answer."""
        with self._lock:
            if self._stopped:
                return False
            try:
                self.servers[name].start()
            except (NotConnectedError, OSError):
                return False
        return True
