"""The REST interface speaks the standard's terms, and a restart brings back what was there."""

import signal

import httpx
import pytest
from eventservices.servers import NatsServer
from integration.event_domains.conftest import Service

pytestmark = pytest.mark.broker


def make(service: Service, broker: NatsServer, channels: int, **qos: int) -> int:
    number: int = service.ask("POST", "", {"qos": qos})["id"]
    for channel in range(channels):
        body = {"broker": broker.url, "channel": f"channel-{channel}"}
        made = service.ask("POST", f"/{number}/channels", body)
        assert made["id"] == channel
    return number


def join(service: Service, supplier: int, consumer: int, status: int | None = None) -> dict:  # type: ignore[type-arg] # JSON
    body = {"supplier_id": supplier, "consumer_id": consumer, "notification_style": "Pull"}
    found: dict[str, object] = service.ask("POST", "/0/connections", body, status=status)
    return found


def test_exceptions_are_answered_with_their_names_and_data(
    service: Service, broker: NatsServer
) -> None:
    make(service, broker, 3, CycleDetection=1, DiamondDetection=1)
    for ends in ((0, 1), (1, 2)):
        join(service, *ends)
    problem = join(service, 2, 0, 409)
    assert (problem["error"], problem["data"]) == ("CycleCreationForbidden", {"cyc": [0, 1, 2]})
    problem = join(service, 0, 2, 409)
    assert problem["error"] == "DiamondCreationForbidden"
    assert problem["data"] == {"diam": [[[0, 1, 2], [0, 2]]], "more": False}
    problem = join(service, 0, 1, 409)
    assert (problem["error"], problem["data"]) == (
        "AlreadyExists",
        {"supplier_id": 0, "consumer_id": 1},
    )
    assert join(service, 0, 9, 404)["error"] == "ChannelNotFound"
    assert service.ask("GET", "/9", status=404)["error"] == "DomainNotFound"
    assert service.ask("GET", "/0/connections/9", status=404)["error"] == "ConnectionNotFound"
    problem = service.ask("PATCH", "/0/qos", {"CycleDetection": 10}, status=422)
    assert problem["error"] == "UnsupportedQoS"
    [error] = problem["data"]["errors"]
    assert error == {"name": "CycleDetection", "code": "BAD_VALUE", "available_range": [0, 1]}
    problem = service.ask("POST", "", {"admin": {"MaxChannels": 1}}, status=422)
    assert problem["error"] == "UnsupportedAdmin"


def test_a_restart_brings_back_domains_with_their_identifiers(
    service: Service, broker: NatsServer
) -> None:
    make(service, broker, 5)
    for ends in ((0, 1), (1, 2), (2, 0), (0, 2)):
        join(service, *ends)
    service.ask("DELETE", "/0/connections/1")
    service.ask("DELETE", "/0/channels/4")
    service.ask("PATCH", "/0/defaults", {"supplier_channel": 2})
    service.ask("POST", "", {})
    service.ask("DELETE", "/1")
    before = [service.ask("GET", path) for path in ("", "/0/channels", "/0/connections")]
    assert service.kill(signal.SIGTERM) in {0, -signal.SIGTERM}
    service.start()
    service.wait(lambda: service.ready() and service.runs())
    after = [service.ask("GET", path) for path in ("", "/0/channels", "/0/connections")]
    for each in (*before[2], *after[2]):
        each.pop("counters")
    assert after == before
    assert join(service, 1, 2)["id"] == 4
    assert service.ask("POST", "/0/channels", {"broker": broker.url, "channel": "x"})["id"] == 5
    assert service.ask("POST", "", {})["id"] == 2


def test_cycles_diamonds_reach_and_a_picture_are_shown(
    service: Service, broker: NatsServer
) -> None:
    make(service, broker, 4)
    for ends in ((0, 1), (1, 0), (1, 2), (2, 3), (1, 3)):
        join(service, *ends)
    assert service.ask("GET", "/0/cycles") == {"cycles": [[0, 1]], "more": False}
    shown = service.ask("GET", "/0/diamonds?view=pair")
    assert shown["diamonds"] == [[[0, 1, 2, 3], [0, 1, 3]], [[1, 2, 3], [1, 3]]]
    assert len(service.ask("GET", "/0/diamonds")["diamonds"]) == 1
    assert service.ask("GET", "/0/channels/3/offer-channels") == [0, 1, 2]
    assert service.ask("GET", "/0/channels/0/subscription-channels") == [1, 2, 3]
    picture = httpx.get(f"{service.url}/v1/domains/0/picture.svg", trust_env=False)
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.startswith("<svg")
    assert picture.text.count("<g>") == 4
    metrics = httpx.get(f"{service.url}/metrics", trust_env=False).text
    assert 'fes_event_domain_connections{domain="0"} 5.0' in metrics


def test_a_client_is_given_the_default_channel_and_forgotten_after_its_lease(
    service: Service, broker: NatsServer
) -> None:
    make(service, broker, 2)
    service.ask("PATCH", "/0/defaults", {"consumer_channel": 1})
    body = {"role": "push_consumer", "ctype": "STRUCTURED_EVENT", "lease_s": 0.3, "name": "one"}
    joined = service.ask("POST", "/0/clients", body)
    assert (joined["member_id"], joined["channel"]) == (1, "channel-1")
    assert joined["role"] == "structured_push_consumer"
    supplier = service.ask("POST", "/0/clients", {"role": "pull_supplier", "lease_s": 60})
    assert supplier["member_id"] == 0
    service.wait(lambda: [each["id"] for each in service.ask("GET", "/0/clients")] == [1])
    assert service.ask("PUT", "/0/clients/0", status=404)["error"] == "ClientNotFound"
    service.ask("PUT", "/0/clients/1")
    service.ask("DELETE", "/0/clients/1")
    assert service.ask("GET", "/0/clients") == []


@pytest.mark.timeout(240)
def test_a_channel_at_a_dead_broker_is_refused_and_one_whose_broker_dies_is_named(
    service: Service, broker: NatsServer
) -> None:
    make(service, broker, 1)
    away = {"broker": "nats://127.0.0.1:1", "channel": "x"}
    assert service.ask("POST", "/0/channels", away, status=503)["error"] == "NotConnected"
    assert len(service.ask("GET", "/0/channels")) == 1
    service.ask("POST", "/0/channels", {"broker": broker.url, "channel": "other"})
    broker.kill()
    service.wait(lambda: not service.ready())
    problem = join(service, 0, 1, 503)
    assert (problem["error"], service.ask("GET", "/0/connections")) == ("NotConnected", [])
    faults = httpx.get(f"{service.url}/readyz", trust_env=False).json()["faults"]
    assert list(faults) == ["domain 0 channel 0", "domain 0 channel 1"]
    service.kill()
    service.start()  # it starts without its broker, and reports so
    service.wait(lambda: service.ask("GET", "/0/channels")[0]["reason"])
    broker.start()
    service.wait(service.ready)
