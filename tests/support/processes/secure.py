"""Brokers that speak TLS, as child processes, each with the certificate that a test made."""

import contextlib
import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eventservices.ports import free_port
from eventservices.servers import _binary
from support.processes.activemq import PASSWORD, USER, ActiveMq
from support.processes.authority import Authority, Pair
from support.processes.foreign import Broker, Mosquitto, listening, program

STORE: Final = "changeit"  # of a test's key store, which Java does not open without one


class SecureMosquitto(Mosquitto):
    """Runs a Mosquitto with TLS, and a user.

    Args:
        folder: Where it runs.
        pair: Its certificate.
        clients: Authority of the certificates that it requires of clients; None for none.
    """

    scheme = "mqtts"

    def __init__(self, folder: Path, pair: Pair, clients: Authority | None = None) -> None:
        super().__init__(folder)
        users = folder / "users"
        maker = program("mosquitto_passwd", "mosquitto")
        subprocess.run((maker, "-b", "-c", users, USER, PASSWORD), check=True, timeout=30)
        told = f"cafile {clients.ca}\nrequire_certificate true\n" if clients else ""
        text = self._configuration.read_text("utf-8").replace(
            "allow_anonymous true\n",
            f"allow_anonymous false\npassword_file {users}\n"
            f"certfile {pair.certificate}\nkeyfile {pair.key}\n{told}",
        )
        self._configuration.write_text(text, "utf-8")


class SecureNats(Broker):
    """Runs a `nats-server` with TLS, JetStream, and a user, or other users.

    Args:
        folder: Where it runs.
        pair: Its certificate.
        clients: Authority of the certificates that it requires of clients; None for none.
        users: Part of its configuration that states who may connect.
    """

    scheme = "tls"

    def __init__(
        self, folder: Path, pair: Pair, clients: Authority | None = None, users: str = ""
    ) -> None:
        super().__init__(folder)
        verify = f", verify: true, ca_file: {json.dumps(str(clients.ca))}" if clients else ""
        self._configuration = folder / f"nats-{self.port}.conf"
        self._configuration.write_text(
            f"host: 127.0.0.1\nport: {self.port}\n"
            f"jetstream {{ store_dir: {json.dumps(str(folder / 'js'))} }}\n"
            f"tls {{ cert_file: {json.dumps(str(pair.certificate))},"
            f" key_file: {json.dumps(str(pair.key))}{verify} }}\n"
            + (users or f"authorization {{ user: {USER}, password: {json.dumps(PASSWORD)} }}\n"),
            "utf-8",
        )

    def start(self) -> None:
        """Start it, and return once it listens."""
        self.run(_binary(), "-c", str(self._configuration))


class SecureActiveMq(ActiveMq):
    """Runs an ActiveMQ that listens with TLS at `port`, and in the clear at `plain_port`.

    Args:
        folder: Where it runs.
        pair: Its certificate.
        clients: Authority of the certificates that it requires of clients; None for none.
    """

    scheme = "stomp+ssl"

    def __init__(self, folder: Path, pair: Pair, clients: Authority | None = None) -> None:
        keys, trusted = folder / "keys.p12", folder / "trusted.p12"
        openssl, keytool = program("openssl", "openssl"), program("keytool", "default-jre-headless")
        subprocess.run(
            (
                *(openssl, "pkcs12", "-export", "-in", pair.certificate, "-inkey", pair.key),
                *("-out", keys, "-passout", f"pass:{STORE}"),
            ),
            check=True,
            timeout=30,
        )
        trust = ""
        if clients:
            subprocess.run(
                (
                    *(keytool, "-importcert", "-noprompt", "-alias", "ca", "-file", clients.ca),
                    *("-keystore", trusted, "-storetype", "PKCS12", "-storepass", STORE),
                ),
                check=True,
                capture_output=True,
                timeout=60,
            )
            trust = f' trustStore="file:{trusted}" trustStorePassword="{STORE}"'
        secure = (
            f'<sslContext><sslContext keyStore="file:{keys}" keyStorePassword="{STORE}"'
            f"{trust}/></sslContext>"
        )
        port = free_port()
        need = "?needClientAuth=true" if clients else ""
        connector = f'<transportConnector name="secure" uri="stomp+ssl://127.0.0.1:{port}{need}"/>'
        super().__init__(folder, anonymous=False, secure=secure, connectors=connector)
        self.plain_port, self.secure_port = self.port, port

    def start(self) -> None:
        """Start it, and return once it listens at both ports."""
        super().start()
        assert self._process is not None
        listening(self.secure_port, self._process)


@contextlib.contextmanager
def handshaking(pair: Pair) -> Iterator[int]:
    """Run a server that shakes hands and answers nothing; yield its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ends = threading.Event()

        def serve() -> None:
            while not ends.is_set():
                with contextlib.suppress(OSError):
                    plain, _ = listening.accept()
                    plain.settimeout(5)
                    with context.wrap_socket(plain, server_side=True) as secure:
                        secure.recv(1)

        thread = threading.Thread(target=serve, name="handshaking", daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            ends.set()
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(10)
