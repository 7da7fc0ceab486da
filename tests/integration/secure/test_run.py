"""A federation whose brokers require TLS, a user and certificates, run as a user runs it."""

import asyncio
import json
import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path

import gmqtt
import httpx
import pytest
from fes.testing.eventually import eventually
from support.processes.activemq import PASSWORD, USER
from support.processes.authority import Authority
from support.processes.running import Run
from support.processes.secure import SecureMosquitto, SecureNats

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

FEDERATION = """
version: 1
system: home
http: {port: 0}
brokers:
  house:
    kind: mqtt
    url: "mqtts://127.0.0.1:HOUSE"
    user: USER
    password_file: secrets/house
    tls: {ca_file: certs/ca.pem, certificate_file: certs/gate.pem, key_file: certs/gate.key}
  yard:
    kind: nats
    url: "tls://127.0.0.1:YARD"
    user: USER
    password_env: YARD_PASSWORD
    tls: {ca_file: certs/ca.pem}
event_services:
  house: {kind: mqtt, brokers: [house], settings: {protocol: "5"}}
  yard: {kind: nats, brokers: [yard], settings: {separator: "/"}}
gateways:
  gate:
    adapters: {house: {}, yard: {}}
    store: {kind: jetstream, url: "tls://127.0.0.1:YARD", user: USER, password_env: YARD_PASSWORD,
            tls: {ca_file: certs/ca.pem}}
requests:
  - {gateway: gate, type: subscription, source: house, dist_list: yard, filter: "n > 1"}
  - {gateway: gate, type: subscription, source: yard, dist_list: house, filter: "n > 1"}
"""

PATHS = ("/gateways", "/readyz", "/gateways/gate/metrics", "/gateways/gate/v1/adapters")


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[tuple[SecureMosquitto, SecureNats]]:
    authority = Authority(tmp_path / "authority")
    certs = tmp_path / "certs"
    certs.mkdir()
    shutil.copy(authority.ca, certs / "ca.pem")
    gate, own = authority.signed("gate"), authority.signed("own", "127.0.0.1")
    shutil.copy(gate.certificate, certs / "gate.pem")
    shutil.copy(gate.key, certs / "gate.key")
    folders = [tmp_path / name for name in ("house", "yard")]
    for each in folders:
        each.mkdir()
    house = SecureMosquitto(folders[0], own, authority)
    yard = SecureNats(folders[1], own)
    for broker in (house, yard):
        broker.start()
    yield house, yard
    for broker in (house, yard):
        broker.stop()


async def test_an_event_crosses_and_no_file_or_answer_of_the_run_has_a_secret(
    brokers: tuple[SecureMosquitto, SecureNats], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, yard = brokers
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/house").write_text(PASSWORD + "\n")
    monkeypatch.setenv("YARD_PASSWORD", PASSWORD)
    text = FEDERATION.replace("HOUSE", str(house.port)).replace("YARD", str(yard.port))
    text = text.replace(f"{yard.port}_PASSWORD", "YARD_PASSWORD").replace("USER", USER)
    (tmp_path / "federation.yaml").write_text(text)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = Run(elsewhere, tmp_path / "federation.yaml")
    run.start()
    context = ssl.create_default_context(cafile=str(tmp_path / "certs/ca.pem"))
    context.load_cert_chain(tmp_path / "certs/gate.pem", tmp_path / "certs/gate.key")
    got: list[str] = []
    client = gmqtt.Client("native", clean_session=True)
    client.set_auth_credentials(USER, PASSWORD)
    client.on_message = lambda _, topic, *__: got.append(topic)
    client.on_connect = lambda *_: client.subscribe("from/#", qos=0)
    try:
        await client.connect(house.host, house.port, ssl=context, version=5)
        url = await eventually(lambda: _address(elsewhere / "run"), 60.0, "the run's address")

        async def crosses() -> bool:
            done = await asyncio.create_subprocess_exec(
                *(run.words[0], "-m", "fes.cli.main", "publish"),
                *(tmp_path / "federation.yaml", "yard"),
                '{"subject": "from/yard", "parameters": {"n": 2}}',
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            await done.wait()
            await asyncio.sleep(0.2)
            return "from/yard" in got

        await eventually(crosses, 120.0, "an event from the yard")
        async with httpx.AsyncClient(timeout=10) as http:
            found = [await http.get(f"{url}{path}") for path in PATHS]
            answers = [each.raise_for_status().text for each in found]
    finally:
        await client.disconnect()
        run.stop()
    written = [path for path in elsewhere.rglob("*") if path.is_file()]
    assert len(written) > 3
    for secret in (PASSWORD, "p%20w"):
        assert not [each for each in answers if secret in each]
        assert not [path for path in written if secret.encode() in path.read_bytes()]


def _address(folder: Path) -> str:
    path = folder / "endpoints.json"
    if not path.exists():
        return ""
    found = json.loads(path.read_text())
    return next((each for each in _texts(found) if each.startswith("http://")), "")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, str):
        yield value.rstrip("/")
