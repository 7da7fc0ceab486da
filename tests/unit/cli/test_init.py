"""`fes init` of systems with secure connections."""

import pytest
from fes.cli.init import text_of
from fes.errors import FesError
from fes.federation.load import loads
from msgspec import UNSET


def test_every_secure_scheme_makes_a_valid_file_with_a_hint_of_certificates() -> None:
    urls = ["mqtts://a", "tls://b", "kafka+ssl://c", "stomp+ssl://d"]
    text = text_of(urls, "home", "f.yaml")
    found = loads(text, {})
    assert [each.kind for each in found.brokers.values()] == ["mqtt", "nats", "kafka", "jms"]
    assert [each.url for each in found.brokers.values()] == urls
    assert text.count("tls: {ca_file: ca.pem}") == 4


def test_what_an_address_states_of_certificates_becomes_keys() -> None:
    urls = ["mqtts://a?ca_file=certs/ca.pem&verify=false", "tls://b?token_file=/t"]
    brokers = loads(text_of(urls, "home", "f.yaml"), {}).brokers
    house = brokers["mqtt"].tls
    assert house is not UNSET
    assert (house.ca_file, house.verify) == ("certs/ca.pem", False)
    assert brokers["nats"].token_file == "/t"  # noqa: S105 - the name of a file


def test_an_address_that_is_not_understood_is_refused_without_its_password() -> None:
    for url in ("amqp://me:secret@h", "mqtts://me:secret@h?cafile=x"):
        with pytest.raises(FesError) as raised:
            text_of(["nats://h", url], "home", "f.yaml")
        assert "secret" not in str(raised.value)
