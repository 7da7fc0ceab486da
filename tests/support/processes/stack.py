"""The stack of docker-compose.yml, driven from outside as a user drives it."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[3]
RUN = "/var/lib/fes/runs/latest"
PORTS = {"g1": 8080, "g2": 8080, "g3": 8080, "traffic-control": 8090, "analytics": 8100}
ANSWER_S = 5.0
POLL_S = 0.25
HEALTHY_S = 90.0


def call(
    *words: str,
    within_s: float = 120,
    environment: dict[str, str] | None = None,
    check: bool = True,
    given: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command; what it printed is in the error where it fails."""
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )
    if check and done.returncode != 0:
        said = (done.stdout + done.stderr)[-4000:]
        raise AssertionError(f"{' '.join(words)} ended with {done.returncode}:\n{said}")
    return done


class Stack:
    """One running copy of the stack, with a name and ports of its own.

    Args:
        name: Of the Compose project.
        environment: What `.env` would say.
        overrides: Names of files in `compose/`, without `.yml`.
    """

    def __init__(
        self, name: str, environment: dict[str, str], overrides: Sequence[str] = ()
    ) -> None:
        self.name = name
        files = ("docker-compose.yml", *(f"compose/{override}.yml" for override in overrides))
        self.environment = {
            **environment,
            "COMPOSE_PROJECT_NAME": name,
            "COMPOSE_FILE": ":".join(files),
            "FES_STACK_STATE": f"/tmp/{name}-state",  # noqa: S108 - of this stack alone
        }

    def compose(
        self,
        *words: str,
        within_s: float = 120,
        check: bool = True,
        given: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run `docker compose …` of this stack."""
        return call(
            *("docker", "compose", *words),
            within_s=within_s,
            environment=self.environment,
            check=check,
            given=given,
        )

    def containers(self) -> dict[str, dict[str, Any]]:
        """Return what the engine says of each container, by service."""
        ids = self.compose("ps", "--all", "--quiet").stdout.split()
        told = json.loads(call("docker", "inspect", *ids).stdout) if ids else []
        return {one["Config"]["Labels"]["com.docker.compose.service"]: one for one in told}

    def copies(self, service: str) -> list[str]:
        """Return the ids of a service's containers."""
        return self.compose("ps", "--quiet", service).stdout.split()

    def at(self, container: str, path: str) -> str:
        """Return the address of something that a gateway's container serves."""
        where = self.engine("port", container, str(PORTS["g1"])).splitlines()[0]
        return f"http://{where}{path}"

    def url(self, service: str) -> str:
        """Return where a service listens on the host."""
        return f"http://{self.compose('port', service, str(PORTS[service])).stdout.strip()}"

    def get(self, service: str, path: str) -> Any:
        """Return what a service answers, as JSON."""
        answer = httpx.get(self.url(service) + path, timeout=ANSWER_S)
        assert answer.is_success, (service, path, answer.text)
        return answer.json()

    def page(self, service: str, path: str) -> str:
        """Return what a service shows people."""
        return httpx.get(self.url(service) + path, timeout=ANSWER_S).raise_for_status().text

    def left(self, name: str) -> list[dict[str, Any]]:
        """Return the lines of a file of the run when nothing but the judge runs."""
        text = self.compose("exec", "-T", "analytics", "cat", f"{RUN}/{name}").stdout
        return [json.loads(line) for line in text.splitlines()]

    def engine(self, *words: str) -> str:
        """Return what the engine says."""
        return call("docker", *words).stdout.strip()

    def read(self, name: str) -> list[dict[str, Any]]:
        """Return the lines of a file of the run."""
        text = self.compose("exec", "-T", "g1", "cat", f"{RUN}/{name}").stdout
        return [json.loads(line) for line in text.splitlines()]

    def note_outage(self, part: str, from_us: int, to_us: int) -> None:
        """Write down what was cut, for the judge."""
        line = {"v": 1, "part": part, "from_us": from_us, "to_us": to_us, "by": "harness"}
        command = f"cat >> {RUN}/outages.jsonl"
        said = json.dumps({**line, "cause": "restart"}) + "\n"
        self.compose("exec", "-T", "g1", "sh", "-c", command, given=said)

    def record(self) -> None:
        """Record from now on what is done to the containers, as `make up` does."""
        call("compose/recorder.py", "start", environment=self.environment)

    def verify(self, within_s: float) -> subprocess.CompletedProcess[str]:
        """End the run and judge it, as `make verify` does."""
        return call("compose/verify", environment=self.environment, within_s=within_s, check=False)

    def take_down(self, within_s: float) -> None:
        """Remove all of it, as `make down` does."""
        call("compose/recorder.py", "stop", environment=self.environment)
        self.compose("down", "--volumes", "--remove-orphans", within_s=within_s)

    def healthy(self) -> bool:
        """Tell whether every container but the planner is healthy."""
        states = {name: one["State"] for name, one in self.containers().items() if name != "plan"}
        return all(one.get("Health", {}).get("Status") == "healthy" for one in states.values())

    def proved_since(self, since_us: int) -> bool:
        """Tell whether every adapter has proved a round trip after a moment."""
        try:
            listed = [one for g in ("g1", "g2", "g3") for one in self.get(g, "/v1/adapters")]
        except (httpx.HTTPError, AssertionError):
            return False
        return all(one["ready"] and one["proved_us"] > since_us for one in listed)

    def restart(self, service: str) -> None:
        """Restart a service, and wait until everything works again."""
        self.compose("restart", service)
        back_us = now_us()
        wait_for(lambda: self.proved_since(back_us), f"{service} to be back")
        wait_for(self.healthy, f"{service} to be healthy")


def now_us() -> int:
    """Return the wall clock, microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def wait_for(holds: Callable[[], object], what: str, within_s: float = HEALTHY_S) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what}"
        time.sleep(POLL_S)
