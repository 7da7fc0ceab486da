"""A gateway is scaled, loses replicas, and is one gateway all the while."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import httpx
import pytest
from support.processes.stack import ANSWER_S, Stack, now_us, wait_for

GATEWAY, COPIES = "g2", 3
UP_S = 120
FILTER = "subject = 'Speed' AND rate > 311"
JSON = {"content-type": "application/json"}
REQUEST = {"source": "siena-m", "dist_list": "steam-m-M01", "filter": FILTER}


@pytest.fixture(scope="module")
def replicas(stack: Stack) -> Iterator[list[str]]:
    """The containers of a gateway with three replicas; one is left afterwards."""
    scale(stack, COPIES)
    yield stack.copies(GATEWAY)
    scale(stack, 1)
    since_us = now_us()
    wait_for(lambda: stack.proved_since(since_us), "the last replica to lead")


def scale(stack: Stack, number: int) -> None:
    word = f"{GATEWAY}={number}"
    words = ("up", "--detach", "--wait", "--no-recreate", "--no-deps", "--scale", word, GATEWAY)
    stack.compose(*words, within_s=UP_S)


def ask(stack: Stack, container: str, path: str) -> Any:
    """Return what a replica answers; None where it is away, and so has no port of the host."""
    with suppress(httpx.HTTPError, AssertionError):
        return httpx.get(stack.at(container, path), timeout=ANSWER_S).raise_for_status().json()
    return None


def leader(stack: Stack, containers: list[str]) -> str | None:
    """Return the container that leads; None where not all agree that one does, and all live."""
    told = [ask(stack, container, "/v1/replicas") for container in containers]
    found = {tuple(one["name"] for one in each if one["leads"]) for each in told if each}
    if any(each is None or len(each) != len(containers) for each in told) or len(found) != 1:
        return None
    (names,) = found
    return next((one for one in containers if one.startswith(names)), None)


def applied(stack: Stack, container: str) -> list[str] | None:
    """Return what a replica says of the subscription; None where it is away."""
    listed = ask(stack, container, "/v1/subscriptions")
    if listed is None:
        return None
    return [at["state"] for one in listed if one["filter"] == FILTER for at in one["applied"]]


SETTLED_S = 12
"""The judge gives a gateway that was killed 10 s to decide as before."""
BEFORE_S = 4
"""An end on purpose is recorded from 2 s before its signal: what is withdrawn within these 2 s
would count as gone with it."""


@pytest.mark.timeout(2 * UP_S)
def test_three_replicas_agree_who_leads(stack: Stack, replicas: list[str]) -> None:
    assert len(replicas) == COPIES
    wait_for(lambda: leader(stack, replicas), "one leader")
    wait_for(stack.healthy, "every container to be healthy")


def shows(stack: Stack, container: str, *states: str) -> bool:
    return applied(stack, container) == list(states)


def test_a_request_injected_at_one_replica_is_applied_at_all(
    stack: Stack, replicas: list[str]
) -> None:
    first = leader(stack, replicas)
    other = next(one for one in replicas if one != first)
    body = json.dumps({"type": "subscription", **REQUEST})
    answer = httpx.post(
        stack.at(other, "/v1/requests"), content=body, headers=JSON, timeout=ANSWER_S
    )
    assert answer.status_code == httpx.codes.ACCEPTED, answer.text
    for container in replicas:
        wait_for(partial(shows, stack, container, "applied"), f"{container} to apply")


@pytest.mark.timeout(200)
def test_another_leads_where_the_leader_is_killed_and_it_comes_back(
    stack: Stack, replicas: list[str]
) -> None:
    first = leader(stack, replicas)
    assert first is not None
    from_us = now_us()
    os.kill(int(stack.engine("inspect", "--format", "{{.State.Pid}}", first)), signal.SIGKILL)
    others = [one for one in replicas if one != first]
    wait_for(lambda: applied(stack, others[0]) == ["applied"], "the others to go on")
    wait_for(lambda: leader(stack, replicas) is not None, "all three to be back")
    since_us = now_us()
    wait_for(lambda: stack.proved_since(since_us), "the adapters to prove it")
    stack.note_outage(GATEWAY, from_us, now_us())
    assert [applied(stack, one) for one in replicas] == [["applied"]] * COPIES


@pytest.mark.timeout(120)
def test_what_one_withdraws_all_withdraw(stack: Stack, replicas: list[str]) -> None:
    time.sleep(SETTLED_S)  # what holds then is what the judge compares with before the kill
    body = json.dumps({"type": "unsubscription", **REQUEST})
    answer = httpx.post(
        stack.at(replicas[-1], "/v1/requests"), content=body, headers=JSON, timeout=ANSWER_S
    )
    assert answer.status_code == httpx.codes.ACCEPTED, answer.text
    for container in replicas:
        wait_for(partial(shows, stack, container), f"{container} to withdraw")
    time.sleep(BEFORE_S)
