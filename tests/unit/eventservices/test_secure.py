"""What gains access to a broker: in an address, in files, and what is wrong with them."""

import ssl
from pathlib import Path

import pytest
from eventservices.credentials import without_credentials
from eventservices.errors import MalformedError, RefusedError
from eventservices.natscredentials import read_credentials
from eventservices.secure import Access, one_access, split_access, with_access
from eventservices.secure.access import OPEN, OWN
from eventservices.secure.context import make_context
from eventservices.secure.faults import handshake_fault
from hypothesis import given
from hypothesis import strategies as st
from support.processes.authority import Authority

JWT = "-----BEGIN NATS USER JWT-----\ney.J\n------END NATS USER JWT------\n"
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


accesses = st.builds(Access, texts, texts, server_name=texts, verify=st.booleans())


@given(accesses)
def test_what_gains_access_comes_out_of_an_address_as_it_was_put_in(access: Access) -> None:
    url = with_access("mqtts://me:p%40ss@broker:8883", access)
    assert split_access(url) == ("mqtts://me:p%40ss@broker:8883", access)


def test_an_address_without_a_query_stays_as_it_is() -> None:
    assert split_access("nats://broker") == ("nats://broker", OPEN)
    assert with_access("nats://broker", OPEN) == "nats://broker"


def test_the_shown_form_of_an_address_has_neither_password_nor_files() -> None:
    url = with_access("tls://me:secret@broker:1", Access("/etc/ca.pem"))
    assert without_credentials(url)[0] == "tls://broker:1"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("cafile=/x", "'cafile' is unknown"),
        ("ca_file=/x&ca_file=/y", "ca_file occurs twice"),
        ("ca_file=", "ca_file has no value"),
        ("ca_file", "bad query field"),
        ("verify=no", "verify is true or false, not 'no'"),
        ("key_file=/x", "key_file needs certificate_file"),
    ],
)
def test_a_query_that_is_not_understood_is_refused_without_the_password(
    query: str, reason: str
) -> None:
    with pytest.raises(MalformedError, match=f"address of broker: {reason}") as raised:
        split_access(f"mqtts://me:secret@broker?{query}")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("scheme", "other"),
    [("mqtt", "mqtts"), ("nats", "tls"), ("kafka", "kafka+ssl"), ("stomp", "stomp+ssl")],
)
def test_certificates_for_an_address_without_tls_are_refused(scheme: str, other: str) -> None:
    with pytest.raises(MalformedError, match=rf"write {other.replace('+', '.')}://, not {scheme}"):
        split_access(f"{scheme}://broker?ca_file=/x")


def test_a_broker_is_verified_unless_the_address_states_otherwise(authority: Authority) -> None:
    context = make_context(Access(str(authority.ca)))
    assert (context.check_hostname, context.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert make_context(Access(verify=False)).verify_mode == ssl.CERT_NONE


def test_each_fault_of_a_file_is_one_line_with_setting_and_name(
    authority: Authority, tmp_path: Path
) -> None:
    good, other = authority.signed("good"), authority.signed("other")
    text, damaged = tmp_path / "text", tmp_path / "damaged"
    text.write_text("secret text")
    damaged.write_text("-----BEGIN CERTIFICATE-----\nsecret\n-----END CERTIFICATE-----\n")
    locked = tmp_path / "locked"
    locked.write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\nsecret\n")
    certificate, key = str(good.certificate), str(good.key)
    cases = [
        (Access("/nowhere/ca"), "ca_file /nowhere/ca: No such file or directory"),
        (Access(str(tmp_path)), f"ca_file {tmp_path}: Is a directory"),
        (Access(str(text)), f"ca_file {text}: is not PEM: it has no line -----BEGIN CERTIFICATE"),
        (Access(str(damaged)), f"ca_file {damaged}: its PEM is damaged"),
        (Access("", "/nowhere/c"), "certificate_file /nowhere/c: No such file or directory"),
        (Access("", certificate), f"certificate_file {certificate}: has no private key"),
        (Access("", certificate, "/no/key"), "key_file /no/key: No such file or directory"),
        (Access("", certificate, str(text)), f"key_file {text}: has no private key"),
        (Access("", certificate, str(locked)), f"key_file {locked}: its private key is encrypted"),
        (
            Access("", certificate, str(other.key)),
            f"key_file {other.key}: its private key does not belong to the certificate",
        ),
        (Access("", str(damaged), key), f"certificate_file {damaged}: its PEM is damaged"),
    ]
    for access, reason in cases:
        with pytest.raises(RefusedError) as raised:
            make_context(access)
        assert str(raised.value).startswith(reason)
        assert "\n" not in str(raised.value)
        assert "secret" not in str(raised.value)


def test_a_certificate_and_its_key_may_be_in_one_file(authority: Authority, tmp_path: Path) -> None:
    pair = authority.signed("both")
    both = tmp_path / "both.pem"
    both.write_text(pair.certificate.read_text() + pair.key.read_text())
    make_context(Access(certificate_file=str(both)))


def test_an_error_that_is_not_of_a_handshake_is_left_to_others() -> None:
    assert handshake_fault(ConnectionRefusedError(), "h:1") == ""


def test_a_handshake_is_found_among_the_causes_of_an_error() -> None:
    error = OSError("outer")
    error.__cause__ = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
    error.__cause__.reason = "WRONG_VERSION_NUMBER"
    told = "no secure connection to h:1: what answers does not speak TLS at this port"
    assert handshake_fault(error, "h:1") == told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("secret", "has no NATS USER JWT as `nsc` writes it"),
        (JWT, "has no USER NKEY SEED as `nsc` writes it"),
        (
            f"{JWT}-----BEGIN USER NKEY SEED-----\nsecret\n------END USER NKEY SEED------\n",
            "its seed is not valid",
        ),
    ],
)
def test_a_file_of_credentials_that_is_none_is_refused_by_name(
    tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "user.creds"
    file.write_text(text)
    with pytest.raises(RefusedError, match=f"credentials_file {file}: {reason}") as raised:
        read_credentials(file)
    assert "secret" not in str(raised.value)


def test_addresses_of_one_service_that_gain_access_differently_are_refused() -> None:
    one, other = Access(ca_file="/one.pem"), Access(ca_file="/other.pem")
    assert one_access([OPEN, one, one]) == one
    assert one_access([]) == OPEN
    with pytest.raises(MalformedError, match="gain access differently"):
        one_access([one, other])


@pytest.mark.parametrize("name", OWN)
def test_what_only_other_kinds_of_brokers_understand_is_refused(name: str) -> None:
    url = f"mqtts://broker?{name}=x"
    assert getattr(split_access(url)[1], name) == "x"
    with pytest.raises(MalformedError, match=f"{name} is not for mqtts://"):
        split_access(url, own=())
