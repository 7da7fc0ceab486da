"""Bad input is refused with its place, and nothing is changed."""

import httpx
import pytest
from event_domains.http.app import make_app
from eventservices.cns.domains import EventLogDomainFactory

BAD = [
    ("/0/channels", {"channel": "x"}, "body.broker"),
    ("/0/channels", {"broker": "nats://x"}, "body.channel"),
    ("/0/channels", {"broker": "x", "channel": "x"}, "body.broker"),
    ("/0/connections", {"supplier_id": -1, "consumer_id": 0}, "body.supplier_id"),
    ("/0/connections", {"supplier_id": 0, "consumer_id": 0, "ctype": "X"}, "body.ctype"),
    ("/0/clients", {"role": "nobody"}, "body.role"),
    ("/0/clients", {"role": "push_consumer", "lease_s": 0}, "body.lease_s"),
    ("", {"unknown": 1}, "body.unknown"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("path", "body", "place"), BAD)
async def test_bad_bodies_are_refused_with_the_place(
    path: str, body: dict[str, object], place: str
) -> None:
    factory = EventLogDomainFactory()
    domain, _ = await factory.create_event_domain()
    transport = httpx.ASGITransport(make_app(factory))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        answer = await client.post(f"/v1/domains{path}", json=body)
    assert answer.status_code == 422
    assert place in answer.json()["detail"]
    assert factory.get_all_domains() == (0,)
    assert domain.get_all_channels() == ()
