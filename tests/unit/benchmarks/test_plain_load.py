"""What a plain system lost, doubled or altered is found; what another run left is passed over."""

import json
from importlib import import_module
from typing import Any

import pytest


class Loop:
    """Is a broker that delivers each payload as a function has it.

    Args:
        deliver: Returns what comes of a payload.
    """

    def __init__(self, load: Any, deliver: Any) -> None:
        self._load = load
        self._deliver = deliver

    async def publish(self, payload: bytes) -> None:
        for each in self._deliver(payload):
            self._load.receive(each)


@pytest.mark.parametrize(
    ("deliver", "lost", "doubled", "altered"),
    [
        (lambda payload: [payload], 0, 0, 0),
        (lambda payload: [payload] * (2 if number(payload) == 3 else 1), 0, 1, 0),
        (lambda payload: [] if number(payload) == 9 else [payload], 1, 0, 0),
        (lambda payload: [payload.replace(b"0.125", b"0.25")], 0, 0, 1),
        (lambda payload: [payload, other_run(payload)], 0, 0, 0),
    ],
    ids=["as sent", "one twice", "one lost", "one altered", "those of another run"],
)
async def test_every_event_is_verified(
    deliver: Any, lost: int, doubled: int, altered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("plain_load")
    monkeypatch.setattr(module, "SILENT_S", 0.05)
    monkeypatch.setattr(module, "SETTLE_S", 0.0)
    load = module.Load(10, 4)
    found = await load.run(Loop(load, deliver))
    assert (found["lost"], found["doubled"], found["altered"]) == (lost, doubled, altered)


def number(payload: bytes) -> int:
    value: int = json.loads(payload)["n"]
    return value


def other_run(payload: bytes) -> bytes:
    return json.dumps({**json.loads(payload), "run": -1}).encode()
