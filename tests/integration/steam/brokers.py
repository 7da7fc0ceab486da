"""The brokers that an air runs on: nats-server, and mosquitto where it is installed."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol, Self

from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec

START_S = 20.0


class Broker(Protocol):
    """What the tests need of a broker."""

    @property
    def mqtt_url(self) -> str: ...

    @property
    def pid(self) -> int | None: ...

    def start(self) -> object: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...


class Mosquitto:
    """Runs one `mosquitto`, which keeps its port over a restart."""

    def __init__(self, name: str, folder: Path) -> None:
        self.port = free_port()
        self._config = folder / f"{name}.conf"
        self._log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def mqtt_url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> Self:
        self._config.write_text(configuration(self.port))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(BINARY), "-c", str(self._config)], stdout=log, stderr=log
            )
        deadline_s = time.monotonic() + START_S
        while not answers(self.port):
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < deadline_s, "mosquitto did not start"
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self.kill()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def configuration(port: int) -> str:
    """Return a configuration such as `docs/steam.md` asks for."""
    return "\n".join(
        (
            f"listener {port} 127.0.0.1",
            "allow_anonymous true",
            "set_tcp_nodelay true",
            "max_queued_messages 0",
            "persistence false",
            "log_dest stderr",
            "",
        )
    )


def answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
        return True
    return False


def nats(name: str, folder: Path) -> Broker:
    return NatsServer(ServerSpec(name, folder, mqtt=True))


BINARY = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")

MAKERS: dict[str, Callable[[str, Path], Broker]] = {"nats": nats}
if BINARY is not None:
    MAKERS["mosquitto"] = Mosquitto
