"""One stack for the whole session: built, brought up, driven, taken down."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from eventservices.errors import NotConnectedError
from eventservices.ports import TRIES, free_port
from support.processes.stack import Stack, call

BUILD_S, UP_S, DOWN_S = 300, 180, 90
SETUP_S = BUILD_S * 2 + UP_S
SPEEDUP = 3
REPLICAS = 3
"""Most replicas of a gateway here; each has a port of the host."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests that build or start everything the time that this takes."""
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    for shared in ("images", "stack"):
        for item in [each for each in here if shared in getattr(each, "fixturenames", ())][:1]:
            item.add_marker(pytest.mark.timeout(SETUP_S), append=False)


def _free_ports() -> str:
    """Return ports of loopback for every replica of a gateway: a range that nobody listens on."""
    for _ in range(TRIES):
        first = free_port()
        with contextlib.suppress(NotConnectedError):
            for beyond in range(first + 1, first + REPLICAS):
                free_port(choose=_only(beyond))
            return f"{first}-{first + REPLICAS - 1}"
    raise NotConnectedError(f"no {REPLICAS} free ports were found in a row")


def _only(port: int) -> Callable[[range], int]:
    return lambda _: port


def _engine_runs() -> bool:
    return shutil.which("docker") is not None and (
        call("docker", "compose", "version", check=False).returncode == 0
        and call("docker", "info", check=False).returncode == 0
    )


@pytest.fixture(scope="session")
def engine() -> Iterator[None]:
    """A Docker engine: the one that runs, or one that is started and ended here."""
    if _engine_runs():
        yield
        return
    can_start = os.geteuid() == 0 and Path("/etc/debian_version").exists()
    if not can_start:
        reason = "no Docker engine with Compose v2 answers"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    call("compose/engine", "start", within_s=BUILD_S)
    try:
        yield
    finally:
        call("compose/engine", "stop")


@pytest.fixture(scope="session")
def images(engine: None) -> dict[str, str]:
    """The images, built from this checkout; gives the settings that name them."""
    environment = {
        "FES_VERSION": "test",
        "SPEEDUP": str(SPEEDUP),
        **{f"{name}_PORTS": _free_ports() for name in ("G1", "G2", "G3")},
        **{f"{name}_PORT": str(free_port()) for name in ("G1", "G2", "G3")},
        "TRAFFIC_CONTROL_PORT": str(free_port()),
        "ANALYTICS_PORT": str(free_port()),
    }
    call("compose/base-images", within_s=BUILD_S)
    stack = Stack("fes-test", environment)
    stack.compose("down", "--volumes", "--remove-orphans", within_s=DOWN_S)
    stack.compose("build", "--quiet", within_s=BUILD_S)
    return environment


@pytest.fixture(scope="session")
def stack(images: dict[str, str]) -> Iterator[Stack]:
    """The stack, healthy; nothing of it is left afterwards."""
    stack = Stack("fes-test", images, ["replicas"])
    try:
        stack.record()
        stack.compose("up", "--detach", "--wait", within_s=UP_S)
        yield stack
    except AssertionError as error:
        error.add_note(stack.compose("logs", "--tail", "30", check=False).stdout)
        raise
    finally:
        stack.take_down(DOWN_S)
