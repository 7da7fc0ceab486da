"""Requests from outside, over a gateway's REST interface."""

import sys
from typing import Any

import httpx
import pytest
from support.processes.stack import ROOT, Stack, call, wait_for

FUZZ_S = 120
SUBSCRIPTION = {
    "type": "subscription",
    "source": "siena-m",
    "dist_list": "steam-m-M01",
    "filter": "subject = 'Speed' AND rate > 250",
}


def listed(stack: Stack, gateway: str) -> list[dict[str, Any]]:
    found = stack.get(gateway, "/v1/subscriptions")
    return [one for one in found if "250" in one["filter"]]


def test_a_subscription_is_injected_listed_and_withdrawn(stack: Stack) -> None:
    url = f"{stack.url('g2')}/v1/requests"
    answer = httpx.post(url, json=SUBSCRIPTION)
    assert answer.status_code == 202, answer.text
    identity = answer.json()["id"]
    wait_for(lambda: listed(stack, "g2"), "the subscription in the list")
    applied = listed(stack, "g2")[0]["applied"]
    assert [one["service"] for one in applied] == ["steam-m-M01"]
    steps = stack.get("g2", f"/v1/requests/{identity}")["steps"]
    assert "applied" in {step["decision"] for step in steps}
    assert httpx.post(url, json={**SUBSCRIPTION, "type": "unsubscription"}).status_code == 202
    wait_for(lambda: not listed(stack, "g2"), "the subscription to be gone")


def test_a_request_that_is_none_is_told_so(stack: Stack) -> None:
    answer = httpx.post(f"{stack.url('g2')}/v1/requests", json={**SUBSCRIPTION, "filter": "rate >"})
    assert answer.status_code == 422
    assert "rate >" in answer.json()["detail"]


@pytest.mark.parametrize("service", ["g3", "traffic-control", "analytics"])
def test_generated_requests_find_no_fault(stack: Stack, service: str) -> None:
    program = [sys.executable, "-m", "schemathesis.cli", "run"]
    limits = ["--max-examples", "10", "--seed", "1", "--workers", "1"]
    done = call(
        *program,
        f"{stack.url(service)}/openapi.json",
        *limits,
        within_s=FUZZ_S,
        check=False,
    )
    assert done.returncode == 0, (ROOT, done.stdout[-6000:])
