"""What gains access to real brokers, and what each fault looks like: one line, and no secret."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from eventservices.credentials import with_credentials
from eventservices.secure import Access, with_access
from eventservices.stamp import Stamper
from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.pool import ConnectionPool
from fes.adapter.registry import adapter_class
from fes.errors import AdapterError, UnavailableError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from support.processes.activemq import PASSWORD, USER
from support.processes.authority import Authority, Pair
from support.processes.contexts import adapter_context
from support.processes.secure import SecureActiveMq, SecureMosquitto, SecureNats, handshaking
from support.sinks import NotingSink

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

WRONG = "wrong word"
SECRETS = (PASSWORD, "p%20w", WRONG)
"""What no line may have: the password, as it is and in an address."""


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of broker, and one that runs.

    Attributes:
        kind: Of the adapter.
        secure, plain: Schemes of its addresses.
        port: Where it listens with TLS.
        plain_port: Where one listens without.
        expired_port: Where one has a certificate that has expired.
        authority: Who signed its certificate.
    """

    kind: str
    secure: str
    plain: str
    port: int
    plain_port: int
    expired_port: int
    authority: Authority

    def url(self, access: Access | None = None, *, port: int = 0, password: str = PASSWORD) -> str:
        """Return its address, with user, password and files."""
        bare = f"{self.secure}://127.0.0.1:{port or self.port}"
        files = Access(str(self.authority.ca)) if access is None else access
        return with_access(with_credentials(bare, USER, password), files)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def _mqtt(folder: Callable[[str], Path], good: Pair, old: Pair) -> Iterator[tuple[int, int, int]]:
    brokers = [SecureMosquitto(folder("good"), good), SecureMosquitto(folder("old"), old)]
    plain = SecureMosquitto(folder("plain"), good)
    text = plain._configuration.read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("certfile", "keyfile"))]
    plain._configuration.write_text("\n".join(lines) + "\n")
    for each in (*brokers, plain):
        each.start()
    yield brokers[0].port, plain.port, brokers[1].port
    for each in (*brokers, plain):
        each.stop()


def _nats(folder: Callable[[str], Path], good: Pair, old: Pair) -> Iterator[tuple[int, int, int]]:
    brokers = [SecureNats(folder("good"), good), SecureNats(folder("old"), old)]
    plain = SecureNats(folder("plain"), good)
    text = plain._configuration.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("tls")]
    plain._configuration.write_text("\n".join(lines) + "\n")
    for each in (*brokers, plain):
        each.start()
    yield brokers[0].port, plain.port, brokers[1].port
    for each in (*brokers, plain):
        each.stop()


def _jms(folder: Callable[[str], Path], good: Pair, old: Pair) -> Iterator[tuple[int, int, int]]:
    broker = SecureActiveMq(folder("good"), good)
    broker.start()
    with handshaking(old) as expired:
        yield broker.secure_port, broker.plain_port, expired
    broker.stop()


STARTS = {
    "mqtt": ("mqtts", "mqtt", _mqtt),
    "nats": ("tls", "nats", _nats),
    "jms": ("stomp+ssl", "stomp", _jms),
}


MADE: dict[str, type[SecureMosquitto | SecureNats | SecureActiveMq]] = {
    "mqtt": SecureMosquitto,
    "nats": SecureNats,
    "jms": SecureActiveMq,
}


@pytest.fixture(scope="module", params=sorted(STARTS))
def place(
    request: pytest.FixtureRequest,
    authority: Authority,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Place]:
    secure, plain, start = STARTS[request.param]
    good = authority.signed(f"{request.param}-good", "127.0.0.1", "broker.test")
    old = authority.signed(f"{request.param}-old", "127.0.0.1", days=-1)
    for ports in start(tmp_path_factory.mktemp, good, old):
        yield Place(request.param, secure, plain, *ports, authority)


def adapter_at(kind: str, url: str, name: str = "g") -> AnyAdapter:
    made = adapter_class(kind)
    return made(adapter_context(name, "s", made, ConnectionPool(), brokers=(url,)))


@asynccontextmanager
async def connected(
    kind: str, url: str, name: str = "g"
) -> AsyncIterator[tuple[AnyAdapter, NotingSink]]:
    adapter, sink = adapter_at(kind, url, name), NotingSink()
    await adapter.connect(sink)
    try:
        yield adapter, sink
    finally:
        await adapter.disconnect()


async def fault(kind: str, url: str, caplog: pytest.LogCaptureFixture) -> AdapterError:
    """Return why an adapter does not connect; nothing that is written has a secret."""
    adapter = adapter_at(kind, url)
    with caplog.at_level("DEBUG"), pytest.raises(AdapterError) as raised:
        await adapter.connect(NotingSink())
    await adapter.disconnect()
    written = [str(raised.value), repr(raised.value), repr(raised.value.__cause__), caplog.text]
    written += [repr(vars(record)) for record in caplog.records]
    for secret in SECRETS:
        assert not any(secret in text for text in written)
    assert "\n" not in str(raised.value)
    return raised.value


async def test_an_event_passes_where_broker_and_client_prove_who_they_are(place: Place) -> None:
    async with connected(place.kind, place.url()) as (adapter, sink):
        await adapter.subscribe(Subscription(1, Filter.of("subject = 'hall'")))
        async with connected(place.kind, place.url(), "other") as (other, _):
            event = Native("hall", (Field("text", Type.STRING, "x" * 200_000),))
            await other.publish(event, Stamper("other.s", "s").next())
            await eventually(lambda: sink.events == ["hall"], what="the event")


async def test_another_name_than_the_addresss_may_be_expected(place: Place) -> None:
    access = Access(str(place.authority.ca), server_name="broker.test")
    async with connected(place.kind, place.url(access)) as (adapter, _):
        await adapter.probe()


async def test_whoever_answers_is_believed_only_where_the_address_states_so(place: Place) -> None:
    async with connected(place.kind, place.url(Access(verify=False))) as (adapter, _):
        await adapter.probe()


async def test_a_certificate_of_an_unknown_authority_is_named_and_tried_again(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = Authority(tmp_path / "other").ca
    for access, known in (
        (Access(str(other)), f"ca_file {other}"),
        (Access(), "the system; name it by `ca_file`"),
    ):
        error = await fault(place.kind, place.url(access), caplog)
        assert f"signed by no authority of {known}" in str(error)
        assert f"127.0.0.1:{place.port}" in str(error)
        assert isinstance(error, UnavailableError)


async def test_an_expired_certificate_is_named_and_tried_again(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    error = await fault(place.kind, place.url(port=place.expired_port), caplog)
    assert "its certificate has expired, or this machine's clock is wrong" in str(error)
    assert isinstance(error, UnavailableError)


async def test_another_name_in_the_certificate_is_named_and_tried_again(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    access = Access(str(place.authority.ca), server_name="elsewhere.test")
    error = await fault(place.kind, place.url(access), caplog)
    assert "certificate is not valid for 'elsewhere.test'; `server_name` is" in str(error)
    assert isinstance(error, UnavailableError)


async def test_plain_text_to_a_port_with_tls_is_named_and_tried_again(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    url = with_credentials(f"{place.plain}://127.0.0.1:{place.port}", USER, PASSWORD)
    error = await fault(place.kind, url, caplog)
    expected = {
        "nats": "signed by no authority of the system; name it by `ca_file`",  # it requests TLS
        "mqtt": "does it expect TLS",
        "jms": "does it expect TLS",
    }
    assert expected[place.kind] in str(error)
    assert isinstance(error, UnavailableError)


async def test_tls_to_a_port_without_is_named_and_sends_no_password(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    error = await fault(place.kind, place.url(port=place.plain_port), caplog)
    assert "TLS" in str(error)
    assert f"127.0.0.1:{place.plain_port}" in str(error)
    assert isinstance(error, UnavailableError)


async def test_a_wrong_password_is_final(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    error = await fault(place.kind, place.url(password=WRONG), caplog)
    assert not isinstance(error, UnavailableError)


async def test_a_file_that_is_not_there_is_final_and_named(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    error = await fault(place.kind, place.url(Access("/nowhere/ca.pem")), caplog)
    assert str(error) == "ca_file /nowhere/ca.pem: No such file or directory"
    assert not isinstance(error, UnavailableError)


@pytest.mark.parametrize("kind", sorted(STARTS))
async def test_a_certificate_that_was_replaced_is_used_by_the_next_connection(
    kind: str, authority: Authority, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for each in folders:
        each.mkdir()
    good = authority.signed(f"{kind}-own", "127.0.0.1")
    first, second = (Authority(tmp_path / name, name) for name in ("first", "second"))
    made = MADE[kind]
    brokers = [made(folder, good, ca) for folder, ca in zip(folders, (first, second), strict=True)]
    old, new = first.signed("client"), second.signed("client")
    certificate, key = tmp_path / "client.pem", tmp_path / "client.key"
    shutil.copy(old.certificate, certificate)
    shutil.copy(old.key, key)
    access = Access(str(authority.ca), str(certificate), str(key))
    brokers[0].start()
    port = getattr(brokers[0], "secure_port", brokers[0].port)
    url = with_access(with_credentials(f"{made.scheme}://127.0.0.1:{port}", USER, PASSWORD), access)
    none = Access(str(authority.ca))
    bare = with_access(with_credentials(f"{made.scheme}://127.0.0.1:{port}", USER, PASSWORD), none)
    error = await fault(kind, bare, caplog)
    assert "requires a client's certificate" in str(error) or "require a client's" in str(error)
    async with connected(kind, url) as (adapter, _):
        await adapter.probe()
        brokers[0].stop()
        shutil.copy(new.certificate, certificate)
        shutil.copy(new.key, key)
        _move(brokers[1], brokers[0], folders)
        brokers[1].start()

        async def proves() -> bool:
            try:
                await adapter.probe()
            except UnavailableError:
                await asyncio.sleep(0.1)
                return False
            return True

        await eventually(proves, 60.0, "a connection with the new certificate")
    brokers[1].stop()


def _move(other: object, to: object, folders: list[Path]) -> None:
    """Have a broker listen where another did."""
    for path in folders[1].iterdir():
        if path.suffix in {".conf", ".xml"}:
            text = path.read_text()
            for name in ("port", "secure_port"):
                if hasattr(other, name):
                    text = text.replace(str(getattr(other, name)), str(getattr(to, name)))
            path.write_text(text)
    for name in ("port", "secure_port", "plain_port"):
        if hasattr(other, name):
            setattr(other, name, getattr(to, name))
