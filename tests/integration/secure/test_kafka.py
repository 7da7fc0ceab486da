"""Secure connections to Kafka: what reaches the native client, and what each fault looks like.

Tansu, the broker of the other tests, speaks no TLS. A server that only shakes hands shows how far
the native client gets.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from adapter_kafka import KafkaAdapter
from confluent_kafka import Producer
from eventservices.errors import MalformedError, NotConnectedError
from eventservices.kafka.addresses import addresses
from eventservices.kafka.producer import KafkaProducer
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError, UnavailableError
from fes.testing.eventually import eventually
from support.processes.authority import Authority
from support.processes.contexts import adapter_context
from support.processes.foreign import Kafka
from support.processes.secure import handshaking
from support.sinks import NotingSink

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

PASSWORD = "p w:1"  # noqa: S105 - of a test
LOGIN = "fes:p%20w%3A1@"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    broker = Kafka(tmp_path_factory.mktemp("kafka"))
    broker.start()
    yield broker
    broker.stop()


async def fault(url: str, caplog: pytest.LogCaptureFixture) -> AdapterError:
    context = adapter_context("g", "s", KafkaAdapter, ConnectionPool(), brokers=(url,))
    adapter = KafkaAdapter(context)
    with caplog.at_level("DEBUG"), pytest.raises(AdapterError) as raised:
        await adapter.connect(NotingSink())
    await adapter.disconnect()
    for text in (str(raised.value), repr(raised.value.__cause__), caplog.text):
        assert PASSWORD not in text
        assert "p%20w" not in text
    assert "\n" not in str(raised.value)
    return raised.value


def test_all_that_gains_access_reaches_the_native_client(authority: Authority) -> None:
    pair = authority.signed("client", "127.0.0.1")
    files = f"ca_file={authority.ca}&certificate_file={pair.certificate}&key_file={pair.key}"
    url = f"kafka+ssl://{LOGIN}a:1?{files}&mechanism=SCRAM-SHA-512"
    found = addresses([url, "kafka+ssl://b"])
    assert found == {
        "bootstrap.servers": "a:1,b:9092",
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": str(authority.ca),
        "ssl.certificate.location": str(pair.certificate),
        "ssl.key.location": str(pair.key),
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "fes",
        "sasl.password": PASSWORD,
    }
    Producer(found)  # it reads the files, and knows the mechanism
    assert addresses(["kafka://a"]) == {"bootstrap.servers": "a:9092"}
    unverified = addresses(["kafka+ssl://a?verify=false"])
    assert unverified["enable.ssl.certificate.verification"] == "false"


@pytest.mark.parametrize(
    ("urls", "reason"),
    [
        (["kafka+ssl://a", "kafka://b"], "or all with kafka.ssl"),
        (["kafka+ssl://a?server_name=b"], "server_name: the client of Kafka"),
        (["kafka://a?token_file=/x"], "token_file is not for kafka"),
        (["kafka://a?mechanism=GSSAPI"], "mechanism 'GSSAPI' is none of PLAIN"),
    ],
)
def test_what_the_native_client_cannot_do_is_refused(urls: list[str], reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        addresses(urls)


async def test_a_broker_that_is_not_verified_is_named_and_tried_again(
    authority: Authority, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = Authority(tmp_path / "other").ca
    with handshaking(authority.signed("good", "127.0.0.1")) as port:
        error = await fault(f"kafka+ssl://{LOGIN}127.0.0.1:{port}?ca_file={other}", caplog)
    assert str(error) == (
        f"no secure connection to 127.0.0.1:{port}: its certificate is signed by no authority of"
        " `ca_file`, has expired, or has another name"
    )
    assert isinstance(error, UnavailableError)


@pytest.mark.parametrize(("name", "days"), [("127.0.0.1", -1), ("elsewhere.test", 2)])
async def test_an_expired_certificate_and_another_name_are_not_accepted(
    authority: Authority, name: str, days: int, caplog: pytest.LogCaptureFixture
) -> None:
    with handshaking(authority.signed(f"bad{days}", name, days=days)) as port:
        error = await fault(f"kafka+ssl://127.0.0.1:{port}?ca_file={authority.ca}", caplog)
    assert "has expired, or has another name" in str(error)
    assert isinstance(error, UnavailableError)


async def test_tls_to_a_port_without_is_named_and_tried_again(
    authority: Authority, kafka: Kafka, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"kafka+ssl://{LOGIN}127.0.0.1:{kafka.port}?ca_file={authority.ca}"
    error = await fault(url, caplog)
    assert "TLS" in str(error)
    assert f"127.0.0.1:{kafka.port}" in str(error)
    assert isinstance(error, UnavailableError)


async def test_plain_text_to_a_port_with_tls_is_named_and_tried_again(
    authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    with handshaking(authority.signed("plain", "127.0.0.1")) as port:
        error = await fault(f"kafka://{LOGIN}127.0.0.1:{port}", caplog)
    assert f"does 127.0.0.1:{port} expect TLS?" in str(error)
    assert isinstance(error, UnavailableError)


async def test_a_user_whom_the_broker_refuses_is_final(
    kafka: Kafka, caplog: pytest.LogCaptureFixture
) -> None:
    error = await fault(f"kafka://{LOGIN}127.0.0.1:{kafka.port}", caplog)
    assert "SASL" in str(error)
    assert not isinstance(error, UnavailableError)


async def test_a_file_that_is_not_there_is_final_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = await fault("kafka+ssl://127.0.0.1:1?ca_file=/nowhere/ca.pem", caplog)
    assert str(error) == "ca_file /nowhere/ca.pem: No such file or directory"
    assert not isinstance(error, UnavailableError)


async def test_a_broker_that_is_away_is_named(caplog: pytest.LogCaptureFixture) -> None:
    error = await fault("kafka://127.0.0.1:1", caplog)
    await eventually(lambda: "127.0.0.1:1" in str(error))
    assert "Connection refused" in str(error)


async def test_a_broker_that_answered_before_is_not_suspected_of_tls_when_it_halts(
    tmp_path: Path,
) -> None:
    broker = Kafka(tmp_path)
    broker.start()
    producer = KafkaProducer([broker.url], "halted", 1000)
    await producer.open()
    assert broker.pid is not None
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        with pytest.raises(NotConnectedError) as raised:
            await producer.probe(1.0)
    finally:
        os.kill(broker.pid, signal.SIGCONT)
        await producer.close()
        broker.stop()
    assert "TLS" not in str(raised.value)
