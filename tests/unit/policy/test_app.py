"""New rules over REST: those that are not valid change nothing, the others are reported on."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fes_policy import Engine, Rules, parse_rules
from fes_policy.app import make_app
from fes_policy.building import Building, User
from fes_policy.whereabouts import Whereabouts

ALL = '@id("all") permit (principal, action, resource);'
NOBODY = '@id("nobody") permit (principal in Group::"nobody", action, resource);'


@pytest.mark.parametrize(
    ("text", "status", "shown"),
    [
        (ALL, 200, {"rules": 1, "conflicts": []}),
        ("permit (", 422, None),
        ("\udcff", 422, None),
    ],
)
async def test_rules_are_replaced_only_by_valid_ones(text: str, status: int, shown: Any) -> None:
    building = Building(users={"ann": User()}, events=("e.n",))
    engine = Engine(parse_rules(NOBODY), building, Whereabouts(building))
    replaced: list[Rules] = []

    async def replace(rules: Rules) -> None:
        replaced.append(rules)

    server: Any = SimpleNamespace(engine=engine, counters=Counter(), replace=replace)
    transport = httpx.ASGITransport(make_app(server))
    async with httpx.AsyncClient(transport=transport, base_url="http://policy") as client:
        body = text.encode("utf-8", "surrogateescape")
        answer = await client.put("/v1/rules", content=body)
    assert answer.status_code == status
    assert len(replaced) == (status == 200)
    assert shown is None or answer.json() == shown
