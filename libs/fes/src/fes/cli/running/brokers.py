"""Embedded brokers: those that the federation's file gives no address."""

from pathlib import Path

from eventservices.servers import NatsServer, ServerSpec
from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.model import Federation

KINDS = ("nats", "mqtt")


class EmbeddedBrokers:
    """Starts and stops the brokers of a run.

    Args:
        federation: The file.
        folder: Where their configuration, logs and stores lie.
    """

    def __init__(self, federation: Federation, folder: Path) -> None:
        self.servers: dict[str, NatsServer] = {}
        self._folder = folder
        for name, broker in federation.brokers.items():
            if broker.url is not UNSET:
                continue
            if broker.kind not in KINDS:
                raise FederationError(
                    f"{broker.kind!r} cannot be started here; give it a url",
                    key=f"brokers.{name}.kind",
                )
            cluster = None if broker.cluster is UNSET else broker.cluster
            routes = tuple(
                server.route
                for server in self.servers.values()
                if cluster is not None and server.spec.cluster == cluster
            )
            spec = ServerSpec(name, folder, broker.kind == "mqtt", cluster=cluster, routes=routes)
            self.servers[name] = NatsServer(spec)

    @property
    def urls(self) -> dict[str, str]:
        """Broker to address."""
        return {name: server.mqtt_url or server.url for name, server in self.servers.items()}

    def start(self) -> None:
        """Start every broker.

        Raises:
            NotConnectedError: One does not answer.
        """
        for server in self.servers.values():
            server.start()

    def stop(self) -> None:
        """Stop every broker."""
        for server in self.servers.values():
            server.stop()

    def revive(self) -> list[str]:
        """Start again those that died; return their names."""
        dead = [name for name, server in self.servers.items() if server.pid is None]
        for name in dead:
            self.servers[name].start()
        return dead
