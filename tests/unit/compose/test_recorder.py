"""What an operator did to containers, from the engine's own events."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FILE = Path(__file__).parents[3] / "compose/recorder.py"
CONFIG = {
    "services": {
        "air": {},
        "g2": {"environment": {"FES_GATEWAYS": "g2"}},
        "g2-siena": {"environment": {"FES_GATEWAY": "g2", "FES_EVENT_SERVICE": "siena-m"}},
    }
}


@pytest.fixture(scope="module")
def recorder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recorder", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def event(at_s: float, action: str, service: str = "g2", number: int = 1, **more: str) -> Any:
    about = {
        "com.docker.compose.service": service,
        "com.docker.compose.container-number": str(number),
        **more,
    }
    actor = {"ID": f"{service}-{number}", "Attributes": about}
    return {"Action": action, "timeNano": int(at_s * 1e9), "Actor": actor}


def played(recorder: ModuleType, *events: Any) -> tuple[list[Any], list[Any], list[str]]:
    """Return the outages that ended, those that did not, and the crashes."""
    outages = recorder.Outages(recorder.parts(CONFIG))
    ended = [line for each in events for line in outages.on_event(each)]
    return ended, outages.open(), outages.crashes


def test_a_restart_is_an_outage_until_the_container_is_healthy_again(recorder: ModuleType) -> None:
    ended, still, crashes = played(
        recorder,
        event(10, "kill", signal="15"),
        event(11, "die", exitCode="0"),
        event(12, "start"),
        event(15, "health_status: healthy"),
    )
    assert (still, crashes) == ([], [])
    assert ended == [
        {
            "v": 1,
            "part": "g2",
            "from_us": 8_000_000,
            "to_us": 15_000_000,
            "by": "operator",
            "cause": "signal 15",
        }
    ]


def test_a_crash_is_no_outage_and_is_reported(recorder: ModuleType) -> None:
    ended, still, crashes = played(
        recorder,
        event(11, "die", exitCode="139"),
        event(12, "start"),
        event(15, "health_status: healthy"),
    )
    assert (ended, still) == ([], [])
    assert crashes == ["g2 ended with status 139; nobody asked for it"]


def test_a_container_that_crashes_long_after_a_signal_crashed(recorder: ModuleType) -> None:
    _, still, crashes = played(
        recorder, event(10, "kill", signal="1"), event(500, "die", exitCode="1")
    )
    assert (still, len(crashes)) == ([], 1)


def test_what_stays_down_has_no_end(recorder: ModuleType) -> None:
    _, still, _ = played(
        recorder,
        event(10, "kill", "air", signal="9"),
        event(10.1, "die", "air", exitCode="137"),
    )
    assert [(line["part"], line["to_us"]) for line in still] == [("air", None)]


def test_an_adapter_is_named_as_the_federation_names_it(recorder: ModuleType) -> None:
    _, still, _ = played(
        recorder,
        event(10, "kill", "g2-siena", signal="9"),
        event(10.1, "die", "g2-siena", exitCode="137"),
    )
    assert still[0]["part"] == "g2.siena-m"


def test_replicas_of_a_gateway_are_down_each_for_itself(recorder: ModuleType) -> None:
    ended, still, _ = played(
        recorder,
        event(10, "kill", number=1, signal="9"),
        event(10.1, "die", number=1, exitCode="137"),
        event(11, "health_status: healthy", number=2),
        event(12, "health_status: healthy", number=1),
    )
    assert [(line["from_us"], line["to_us"]) for line in ended] == [(8_000_000, 12_000_000)]
    assert still == []


def test_a_replica_that_is_taken_away_is_down_until_it_is_gone(recorder: ModuleType) -> None:
    ended, still, _ = played(
        recorder,
        event(9, "health_status: healthy", number=1),
        event(9, "health_status: healthy", number=2),
        event(10, "kill", number=2, signal="15"),
        event(11, "die", number=2, exitCode="0"),
        event(12, "destroy", number=2),
    )
    assert (len(ended), still) == (1, [])


def test_a_container_that_is_made_anew_is_down_until_the_new_one_is_healthy(
    recorder: ModuleType,
) -> None:
    ended, _, _ = played(
        recorder,
        event(9, "health_status: healthy"),
        event(10, "kill", signal="15"),
        event(11, "die", exitCode="0"),
        event(12, "destroy"),
        event(20, "health_status: healthy"),
    )
    assert [line["to_us"] for line in ended] == [20_000_000]


def test_a_paused_container_is_down_until_it_goes_on(recorder: ModuleType) -> None:
    ended, _, _ = played(recorder, event(10, "pause"), event(14, "unpause"))
    assert [(line["to_us"], line["cause"]) for line in ended] == [(14_000_000, "pause")]


def test_a_container_run_once_beside_the_stack_is_not_a_part(recorder: ModuleType) -> None:
    once: dict[str, Any] = {"com.docker.compose.oneoff": "True"}
    ended, still, crashes = played(
        recorder,
        event(10, "kill", signal="9", **once),
        event(10.1, "die", exitCode="137", **once),
    )
    assert (ended, still, crashes) == ([], [], [])
