"""The service of event domains in a process of its own, used by REST."""

import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from serving.children import end, started
from serving.loopback import ask

from event_domain_scenario.errors import ScenarioError

WITHIN_S: Final = 30.0
ANSWER_S: Final = 15.0
POLL_S: Final = 0.02


class Service:
    """Starts the service and ends it.

    Args:
        run: Folder for its journal and its log.
        bound: Connections that an event passes in a cycle.
    """

    def __init__(self, run: Path, bound: int) -> None:
        self._run = run
        self._bound = bound
        self._url = ""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        endpoint = self._run / "event-domains.json"
        endpoint.unlink(missing_ok=True)
        options = {
            "--journal": self._run / "domains.sqlite",
            "--logs": self._run / "logs",
            "--port": 0,
            "--endpoint": endpoint,
            "--poll-s": 0.01,
            "--most-connections": self._bound,
        }
        arguments = [str(part) for pair in options.items() for part in pair]
        command = (sys.executable, "-m", "event_domains", *arguments)
        with ExitStack() as stack:
            log = stack.enter_context((self._run / "event-domains.log").open("wb"))
            process = stack.enter_context(started(command, stdout=log, stderr=log))
            stack.callback(end, process)
            wait(endpoint.exists, "the service of event domains did not start")
            self._stack = stack.pop_all()
        self._url = json.loads(endpoint.read_text("utf-8"))["url"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self._stack.close()

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the body of an answer under `/v1/domains`."""
        answer = ask(method, f"{self._url}/v1/domains{path}", body, timeout_s=ANSWER_S)
        form = answer.headers.get("content-type", "")
        return (
            answer.status_code,
            answer.json() if answer.content and "json" in form else answer.text,
        )

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """Return the body of an answer that must be a success.

        Raises:
            ScenarioError: It is none.
        """
        status, answer = self.request(method, path, body)
        if status >= 300:
            raise ScenarioError(f"{method} {path}: {status}: {answer}")
        return answer


def wait(condition: Callable[[], bool], otherwise: str) -> None:
    """Wait until a condition is true.

    Raises:
        ScenarioError: It does not within `WITHIN_S`.
    """
    until = time.monotonic() + WITHIN_S
    while not condition():
        if time.monotonic() > until:
            raise ScenarioError(otherwise)
        time.sleep(POLL_S)
