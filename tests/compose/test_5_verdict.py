"""What the judge says: while the stack runs, and once it has ended. These come last."""

from typing import Any

import pytest
from support.processes.stack import Stack, wait_for

VERDICT_S = 180
VERIFY_S = 240
DOWN_S = 90
APPLICATIONS = ("can-sim", "traffic-control")
ADAPTERS = ("g1-cns", "g1-steam", "g2-steam", "g2-siena", "g3-steam", "g3-siena")
GATEWAYS = ("g1", "g2", "g3")


def verdict(stack: Stack) -> dict[str, Any]:
    found: dict[str, Any] = stack.get("analytics", "/verdict.json")
    return found


@pytest.mark.timeout(VERDICT_S + 30)
def test_the_judge_finds_every_promise_kept_while_the_stack_runs(stack: Stack) -> None:
    wait_for(lambda: verdict(stack)["verdict"] == "pass", "the verdict to be pass", VERDICT_S)
    told = verdict(stack)
    assert told["reports"]["received"] > 0
    assert {one["status"] for one in told["promises"]} <= {"held", "not testable"}
    assert "<html" in stack.page("analytics", "/").lower()


@pytest.mark.timeout(VERIFY_S + 60)
def test_a_finished_run_is_judged_and_what_was_done_to_its_parts_is_known(stack: Stack) -> None:
    done = stack.verify(VERIFY_S)
    ended = {name: one["State"]["ExitCode"] for name, one in stack.containers().items()}
    assert {ended[name] for name in (*APPLICATIONS, *ADAPTERS, *GATEWAYS)} == {0}
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict: pass" in done.stdout
    outages = {line["part"] for line in stack.left("outages.jsonl")}
    assert {"cns", "air", "siena-1", "g1", "g2.steam-m-M01"} <= outages


def test_nothing_is_left_once_the_stack_is_taken_down(stack: Stack) -> None:
    stack.take_down(DOWN_S)
    assert stack.containers() == {}
    label = f"label=com.docker.compose.project={stack.name}"
    for kind in ("volume", "network"):
        assert stack.engine(kind, "ls", "--quiet", "--filter", label) == ""
