#!/usr/bin/env python3
"""Records what an operator does to the containers of the stack, for the judge.

    compose/recorder.py start    follow the engine's events in the background, from now on
    compose/recorder.py stop     end that; what is still down stays down for the judge

The engine reports a `kill` for each signal that somebody has it send (`docker stop`, `restart`,
`kill`, and Compose's words for them), and a `die` for each end of a container. An end that follows
such a kill was somebody's decision: it becomes a line of the run's `outages.jsonl`. An end without
one is a crash, or the kernel's decision, and excuses nothing; it is reported in recorder.log.

Needs nothing but Python and the docker command. Its state is in compose/.state.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATE = Path(os.environ.get("FES_STACK_STATE", ROOT / "compose" / ".state"))
RUN = "/var/lib/fes/runs/latest"
EVENTS = ("kill", "die", "destroy", "pause", "unpause", "health_status")
DELIVERERS = ("g1", "g2", "g3", "analytics", "traffic-control")
"""Services whose containers have the run's volume."""
DECIDED_S = 120.0
"""An end this long after a kill at most is what the kill was for."""
Place = tuple[str, str]
"""A service, and the number of its container."""
SIGNALLED_S = 2.0
"""The engine reports a signal when it was sent: a part may have acted on it by then."""
UNDELIVERED = 10_000
"""Most lines that wait for a container that can write them; the oldest goes first."""


def compose(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `docker compose …` of this stack."""
    return subprocess.run(
        ("docker", "compose", *words),
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def parts(config: dict) -> dict[str, str]:
    """Return what the federation calls each service of a Compose configuration."""
    found = {}
    for service, told in config["services"].items():
        environment = told.get("environment") or {}
        gateway = environment.get("FES_GATEWAY")
        if gateway and environment.get("FES_EVENT_SERVICE"):
            found[service] = f"{gateway}.{environment['FES_EVENT_SERVICE']}"
        else:
            found[service] = environment.get("FES_GATEWAYS", service)
    return found


class Outages:
    """Turns the engine's events into outages.

    Args:
        names: What the federation calls each service.
    """

    def __init__(self, names: dict[str, str]) -> None:
        self.crashes: list[str] = []
        self._names = names
        self._kills: dict[str, tuple[float, str]] = {}
        self._down: dict[Place, tuple[float, str]] = {}
        self._healthy: set[Place] = set()

    def on_event(self, event: dict) -> list[dict]:
        """Return the outages that an event ends."""
        about = event["Actor"]["Attributes"]
        service = about.get("com.docker.compose.service", "")
        if service not in self._names or about.get("com.docker.compose.oneoff") == "True":
            return []
        at_s, action, container = event["timeNano"] / 1e9, event["Action"], event["Actor"]["ID"]
        place = (service, about.get("com.docker.compose.container-number", "1"))
        if action == "kill":
            cut_s = at_s - SIGNALLED_S
            self._kills.setdefault(container, (cut_s, f"signal {about.get('signal', '?')}"))
        elif action == "die":
            self._ended(container, place, at_s, about.get("exitCode", "?"))
        elif action == "pause":
            self._down.setdefault(place, (at_s, "pause"))
        elif action == "health_status: healthy":
            self._healthy.add(place)
            return self._over(place, at_s)
        elif action == "unpause" or (action == "destroy" and self._goes_on(service)):
            return self._over(place, at_s)
        return []

    def open(self) -> list[dict]:
        """Return the outages that did not end."""
        return [self._outage(place, None) for place in list(self._down)]

    def _goes_on(self, service: str) -> bool:
        """Whether another container of a service does its work: one that was scaled down."""
        return any(place[0] == service for place in self._healthy)

    def _over(self, place: Place, at_s: float) -> list[dict]:
        return [self._outage(place, at_s)] if place in self._down else []

    def _ended(self, container: str, place: Place, at_s: float, status: str) -> None:
        self._healthy.discard(place)
        killed_s, cause = self._kills.pop(container, (-math.inf, ""))
        if at_s - killed_s <= DECIDED_S:
            self._down.setdefault(place, (killed_s, cause))
        elif status != "0":
            self.crashes.append(f"{place[0]} ended with status {status}; nobody asked for it")

    def _outage(self, place: Place, to_s: float | None) -> dict:
        from_s, cause = self._down.pop(place)
        to_us = None if to_s is None else round(to_s * 1e6)
        line = {"v": 1, "part": self._names[place[0]], "from_us": round(from_s * 1e6)}
        return {**line, "to_us": to_us, "by": "operator", "cause": cause}


class Delivery:
    """Appends lines to the run's `outages.jsonl`, through a container that has the volume."""

    def __init__(self) -> None:
        self._waiting: list[dict] = []

    def add(self, lines: list[dict]) -> None:
        """Deliver lines, with those that could not be delivered before."""
        self._waiting = [*self._waiting, *lines][-UNDELIVERED:]
        text = "".join(json.dumps(line) + "\n" for line in self._waiting)
        command = f"cat >> {RUN}/outages.jsonl"
        for service in DELIVERERS if text else ():
            with contextlib.suppress(subprocess.TimeoutExpired):
                done = compose("exec", "-T", service, "sh", "-c", command, given=text)
                if done.returncode == 0:
                    self._waiting = []
                    return


def follow() -> None:
    """Follow the engine's events until SIGTERM."""
    config = json.loads(compose("config", "--format", "json").stdout)
    outages, delivery = Outages(parts(config)), Delivery()
    words = ["docker", "events", "--format", "{{json .}}", "--filter", "type=container"]
    words += ["--filter", f"label=com.docker.compose.project={config['name']}"]
    for event in EVENTS:
        words += ["--filter", f"event={event}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as events:

        def end(*_: object) -> None:
            events.terminate()

        signal.signal(signal.SIGTERM, end)
        (STATE / "recorder.pid").write_text(str(os.getpid()))
        for line in events.stdout:
            delivery.add(outages.on_event(json.loads(line)))
            for crash in outages.crashes:
                print(crash, flush=True)
            outages.crashes.clear()
    delivery.add(outages.open())


def recording() -> int | None:
    """Return the recorder that runs, by its process id."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        pid = int((STATE / "recorder.pid").read_text())
        if b"recorder" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    return None


def start() -> None:
    """Record in the background, unless that is done already."""
    STATE.mkdir(parents=True, exist_ok=True)
    if recording():
        return
    with (STATE / "recorder.log").open("a") as log:
        subprocess.Popen(
            (sys.executable, __file__, "follow"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=ROOT,
        )
    for _ in range(100):
        if recording():
            return
        time.sleep(0.1)
    sys.exit("recorder: did not start; see compose/.state/recorder.log")


def stop() -> None:
    """End the recorder, and wait until it delivered what it has."""
    pid = recording()
    if pid is None:
        return
    os.kill(pid, signal.SIGTERM)
    for _ in range(300):
        if recording() is None:
            break
        time.sleep(0.1)
    (STATE / "recorder.pid").unlink(missing_ok=True)


if __name__ == "__main__":
    actions = {"start": start, "stop": stop, "follow": follow}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]]()
