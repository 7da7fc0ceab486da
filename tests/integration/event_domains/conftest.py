import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Give a server that keeps streams, and that a test may kill and start again."""
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("domains", folder, jetstream=True, port=free_port())) as started:
        yield started


class Service:
    """The service in a process of its own, on a fixed port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.arguments = ["--cycles", "authorize", "--diamonds", "authorize", "--poll-s", "0.005"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--journal", str(self.folder / "domains.sqlite"), "--port", str(self.port)]
        options += ["--logs", str(self.folder / "logs")]
        with (self.folder / "service.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "event_domains", *options, *self.arguments], stdout=log
            )
        self.wait(lambda: httpx.get(f"{self.url}/healthz", trust_env=False).is_success, 90.0)

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        os.kill(process.pid, how)
        return process.wait()

    def ask(self, method: str, path: str, body: Any = None, *, status: int | None = None) -> Any:
        answer = httpx.request(
            method, f"{self.url}/v1/domains{path}", json=body, trust_env=False, timeout=15
        )
        if status is None:
            assert answer.is_success, answer.text
        else:
            assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def wait(self, condition: Callable[[], object], within_s: float = 30.0) -> None:
        deadline = time.monotonic() + within_s
        while True:
            try:
                if condition():
                    return
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, f"it did not come true within {within_s} s"
            time.sleep(0.05)

    def ready(self) -> bool:
        return httpx.get(f"{self.url}/readyz", trust_env=False).is_success

    def metrics(self) -> str:
        return httpx.get(f"{self.url}/metrics", trust_env=False).text

    def runs(self, domain: int = 0) -> bool:
        return all(each["runs"] for each in self.ask("GET", f"/{domain}/connections"))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    made.start()
    try:
        yield made
    finally:
        made.kill()
