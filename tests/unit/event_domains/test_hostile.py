"""Whatever a request has in it, the answer is one line, and nothing else happens."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest
from event_domains.http.app import make_app
from event_domains.http.problems import MOST_TEXT
from eventservices.cns.domains import (
    ChannelPlace,
    Connection,
    DomainOptions,
    EventLogDomainFactory,
)
from eventservices.cns.domains.moving.gateways import Subscription

BIG, HUGE = "9" * 4000, "9" * 5000
GATEWAY = "http://gateway"
V1 = "/v1/domains"
PATHS = [
    f"/{BIG}",
    f"/{HUGE}",
    "/-1",
    "/1.5",
    "/%00",
    "/٣",
    f"/0/channels/{BIG}",
    f"/0/connections/{HUGE}",
    "/0/channels/7/log",
    f"/0/channels/0/log/count?constraint={'(' * 10_001}",
    "/0/diamonds?view=%0a",
    "/0/nothing",
    "/0/channels?after=-2",
    "/0/connections?most=1001",
    "/0/connections?most=0",
]
BODIES = [
    ("PATCH", "/0/qos", '{"CycleDetection": NaN}'),
    ("PATCH", "/0/qos", '{"CycleDetection": 1e999}'),
    ("PATCH", "/0/qos", f'{{"CycleDetection": {HUGE}}}'),
    ("PATCH", "/0/qos", r'{"a\u0000\nb": 1}'),
    ("PATCH", "/0/qos", r'{"\ud800": 1}'),
    ("PATCH", "/0/qos", f'{{"{"a" * 100_000}": 1}}'),
    ("PATCH", "/0/qos", json.dumps({str(number): 1 for number in range(101)})),
    ("PATCH", "/0/qos", "["),
    ("PATCH", "/0/qos", '{"a":' * 2000 + "1" + "}" * 2000),
    ("POST", "", r'{"qos": {"x\ny": 1}}'),
    ("POST", "", r'{"qos": {"\udfff": 1}}'),
    ("POST", "", '{"admin": {"MaxChannels": NaN}}'),
    ("POST", "/0/channels", r'{"broker": "nats://h:1", "channel": "a\nb"}'),
    ("POST", "/0/channels", r'{"broker": "nats://h:1", "channel": "\u0000"}'),
    ("POST", "/0/channels", r'{"broker": "nats://h:1", "channel": "\ud800"}'),
    ("POST", "/0/channels", r'{"gateway": "http://g", "channel": "c", "service": "a\u001bb"}'),
    ("POST", "/0/channels", '{"gateway": "file:///etc/passwd", "channel": "c"}'),
    ("POST", "/0/channels", r'{"gateway": "http://g\nb", "channel": "c"}'),
    ("POST", "/0/channels", '{"broker": "nats://[::", "channel": "c"}'),
    ("POST", "/0/channels", '{"broker": "nats://h:99999999", "channel": "c"}'),
    ("POST", "/0/channels", '{"broker": "nats://h:x", "channel": "c"}'),
    ("POST", "/0/channels", '{"broker": "nats://:4222", "channel": "c"}'),
    ("POST", "/0/channels", json.dumps({"gateway": GATEWAY, "channel": "c", "interfaces": [BIG]})),
    ("POST", "/0/connections", f'{{"supplier_id": {BIG}, "consumer_id": 0}}'),
    ("POST", "/0/connections", '{"supplier_id": 7, "consumer_id": 0}'),
    ("POST", "/0/connections", r'{"supplier_id": 0, "consumer_id": 0, "key": "a\nb"}'),
    ("POST", "/0/clients", r'{"role": "push_consumer", "name": "a\rb"}'),
    ("POST", "/0/clients", '{"role": "push_consumer", "lease_s": NaN}'),
    ("POST", "/0/clients", f'{{"role": "push_consumer", "lease_s": {BIG}}}'),
    ("PUT", f"/0/clients/{BIG}", ""),
    ("DELETE", f"/{HUGE}", ""),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Subscribed:
    """Makes every subscription at once."""

    async def subscribe(self, _subscription: Subscription) -> None:
        await asyncio.sleep(0)

    async def unsubscribe(self, _subscription: Subscription) -> None:
        await asyncio.sleep(0)


@pytest.fixture
async def factory() -> EventLogDomainFactory:
    """Return a factory with a domain of one channel."""
    made = EventLogDomainFactory(options=DomainOptions(subscribing=Subscribed()))
    domain, _ = await made.create_event_log_domain()
    await domain.add_channel(ChannelPlace("", "jms", "jms", GATEWAY))
    return made


@pytest.fixture
async def client(factory: EventLogDomainFactory) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(make_app(factory))
    headers = {"content-type": "application/json"}
    url = "http://here"
    async with httpx.AsyncClient(transport=transport, base_url=url, headers=headers) as made:
        yield made


def check_refused(answer: httpx.Response) -> None:
    """Check that an answer is a refusal in one line."""
    assert 400 <= answer.status_code < 500, (answer.request.url, answer.request.content)
    problem = answer.json()
    assert problem["error"].isalnum()
    assert problem["detail"].isprintable()
    assert 0 < len(problem["detail"]) <= MOST_TEXT + 1
    assert "\n" not in answer.text


async def test_a_path_that_names_nothing_is_refused_in_one_line(client: httpx.AsyncClient) -> None:
    for path in PATHS:
        check_refused(await client.get(f"{V1}{path}"))


async def test_a_body_that_nobody_can_use_is_refused_in_one_line_and_changes_nothing(
    client: httpx.AsyncClient, factory: EventLogDomainFactory
) -> None:
    before = (await client.get(f"{V1}/0")).json()
    for method, path, body in BODIES:
        check_refused(await client.request(method, f"{V1}{path}", content=body))
    assert (await client.get(f"{V1}/0")).json() == before
    assert factory.get_all_domains() == (0,)
    assert (await client.get(f"{V1}/0/clients")).json() == []


async def test_a_password_in_a_brokers_address_is_in_no_answer(
    client: httpx.AsyncClient, factory: EventLogDomainFactory
) -> None:
    place = ChannelPlace("nats://me:secret@h:1", "c", "s", GATEWAY)
    await factory.get_event_domain(0).add_channel(place)
    bad = {"broker": "nats://me:secret@h:x", "channel": "c"}
    joining = {"role": "push_consumer", "member_id": 1}
    answers = [
        await client.post(f"{V1}/0/channels", json=bad),
        await client.post(f"{V1}/0/clients", json=joining),
        await client.get(f"{V1}/0/channels"),
    ]
    assert [each.status_code for each in answers] == [422, 201, 200]
    assert not any("secret" in each.text for each in answers)


async def test_10_000_connections_at_once_are_made_one_after_another_and_none_is_lost(
    factory: EventLogDomainFactory,
) -> None:
    domain = factory.get_event_domain(0)
    for number in range(1, 142):
        await domain.add_channel(ChannelPlace("", f"jms-{number}", f"jms-{number}", GATEWAY))
    ends = [(a, b) for a in range(142) for b in range(a)][:10_000]
    adding = (domain.add_connection(Connection(*each)) for each in ends)
    added = await asyncio.gather(*adding)
    assert added == list(range(10_000))
    assert not domain.get_cycles()
    assert domain.changes.waiting == 0


async def test_many_requests_at_once_are_each_answered(client: httpx.AsyncClient) -> None:
    body = {"gateway": GATEWAY, "channel": "c", "service": "jms"}
    answers = await asyncio.gather(
        *(client.post(f"{V1}/0/channels", json=body) for _ in range(300))
    )
    assert sorted(each.json()["id"] for each in answers) == list(range(1, 301))
    listed = await client.get(f"{V1}/0/channels?after=7&most=3")
    assert [each["id"] for each in listed.json()] == [8, 9, 10]
    assert (await client.get(f"{V1}/0/channels?after=300")).json() == []
    ends = {"supplier_id": 1, "consumer_id": 2}
    answers = await asyncio.gather(
        *(client.post(f"{V1}/0/connections", json=ends) for _ in range(100))
    )
    assert sorted(each.status_code for each in answers) == [201] + [409] * 99
