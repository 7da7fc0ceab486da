"""Typed channels and logs by REST, over a restart."""

import asyncio

import httpx
import pytest
from eventservices.cns import ClientType, Connection
from eventservices.servers import NatsServer
from integration.event_domains.conftest import Service

pytestmark = pytest.mark.broker


@pytest.fixture
def declared(service: Service) -> Service:
    """Start the service again, with interfaces."""
    path = service.folder / "interfaces.toml"
    path.write_text('["Sensor".report]\nspeed = "double"\n', "utf-8")
    service.kill()
    service.arguments += ["--interfaces", str(path)]
    service.start()
    return service


def test_typed_channels_are_connected_by_an_interface(
    declared: Service, broker: NatsServer
) -> None:
    ask = declared.ask
    ask("POST", "", {"kind": "typed"})
    for name, interfaces in (("a", ["Sensor"]), ("b", ["Sensor"]), ("c", []), ("d", None)):
        body = {"broker": broker.url, "channel": name, "interfaces": interfaces}
        ask("POST", "/0/channels", body)
    typed = {"supplier_id": 0, "consumer_id": 1, "key": "Sensor"}
    assert ask("POST", "/0/connections", typed) == {"id": 0}
    shown = ask("GET", "/0/connections/0")
    assert (shown["key"], shown["ctype"], shown["runs"]) == ("Sensor", None, True)
    drawn = httpx.get(f"{declared.url}/v1/domains/0/picture.svg", trust_env=False).text
    assert "0: Sensor push</text>" in drawn
    for consumer, key, status, error in (
        (2, "Sensor", 422, "InterfaceNotSupported"),
        (3, "Sensor", 422, "ClientType"),
        (1, "Nowhere", 404, "NoSuchImplementation"),
    ):
        wrong = {"supplier_id": 0, "consumer_id": consumer, "key": key}
        assert ask("POST", "/0/connections", wrong, status=status)["error"] == error
    body = {"broker": broker.url, "channel": "e", "interfaces": ["Sensor"]}
    ask("POST", "", {})
    assert ask("POST", "/1/channels", body, status=404)["error"] == "DomainNotFound"


def test_a_log_is_kept_over_a_restart(service: Service, broker: NatsServer) -> None:
    ask = service.ask
    ask("POST", "", {"kind": "log"})
    body = {"broker": broker.url, "channel": "log", "log": {"max_size": 1000, "full_action": 1}}
    assert ask("POST", "/0/channels", body) == {"id": 0}

    async def publish() -> None:
        async with Connection(broker.url) as connection:
            channel = await connection.open_channel("log")
            admin = channel.for_suppliers()
            proxy = admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
            await proxy.connect_any_push_supplier()
            for speed in (10, 60, 70):
                await proxy.push({"speed": speed})

    asyncio.run(publish())
    service.wait(lambda: ask("GET", "/0/channels/0/log")["n_records"] == 3)
    service.kill()
    service.start()
    service.wait(service.ready)
    url = f"{service.url}/v1/domains/0/channels/0/log/count"
    asked = httpx.get(url, params={"constraint": "$.info.speed > 50"}, trust_env=False)
    assert asked.json() == 2
    refused = httpx.get(url, params={"constraint": "$.info >"}, trust_env=False)
    assert (refused.status_code, refused.json()["error"]) == (422, "InvalidConstraint")
    assert ask("GET", "/0/channels")[0]["kind"] == "LOG_CHANNEL"
