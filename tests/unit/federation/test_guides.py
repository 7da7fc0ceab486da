"""The naming and policy services in the federation file: each key, and what is refused."""

import pytest
from fes.errors import FederationError
from fes.federation import dump, loads
from fes.federation.model import Federation
from fes.gateway.settings import guidance_of
from msgspec import UNSET

TEXT = """\
version: 1
system: s
brokers:
  n: {kind: nats}
  m: {kind: mqtt}
event_services:
  a: {kind: memory, brokers: [m]}
  b: {kind: memory}
gateways:
  g: {adapters: {a: {}, b: {}}}
"""
NAMING = "naming: {broker: n, building: B, servers: [h1, h2], buses: b, announces: false}\n"
POLICY = "policy: {broker: n, building: B, device: pda, users: {a: ann}, devices: {b: desk}}\n"


def loaded(text: str) -> Federation:
    return loads(TEXT + text, {}, file="f")


def test_without_the_sections_no_gateway_queries_anything() -> None:
    federation = loads(TEXT.replace("  n: {kind: nats}\n", ""), {})
    assert (federation.naming, federation.policy) == (UNSET, UNSET)
    assert (guidance_of(federation).naming, guidance_of(federation).policy) == (False, False)


def test_each_key_of_the_naming_service_is_read() -> None:
    naming = loaded(NAMING).naming
    assert naming is not UNSET
    assert (naming.broker, naming.building, naming.servers) == ("n", "B", ("h1", "h2"))
    assert (naming.buses, naming.announces) == ("b", False)
    assert guidance_of(loaded(NAMING)).naming


def test_each_key_of_the_policy_service_is_read() -> None:
    policy = loaded(POLICY).policy
    assert policy is not UNSET
    assert (policy.broker, policy.building) == ("n", "B")
    settings = guidance_of(loaded(POLICY))
    assert settings.policy
    assert (settings.user("a"), settings.user("b")) == ("ann", "b")
    assert (settings.device("a"), settings.device("b")) == ("pda", "desk")


def test_the_sections_are_written_back_as_they_were() -> None:
    federation = loaded(NAMING + POLICY)
    assert loads(dump(federation), {}) == federation


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("broker: n", "broker: x", "naming.broker: there is no broker 'x'"),
        ("broker: n", "broker: m", "naming.broker: expected a broker of kind nats, found mqtt"),
        ("building: B", "building: 'a b'", "naming.building: "),
        ("[h1, h2]", "[]", "naming.servers: "),
        ("[h1, h2]", "[h1, h1]", "naming.servers: a server is listed twice"),
        ("buses: b", "buses: c", "naming.buses: there is no event service 'c'"),
        ("announces: false", "announces: 1", "naming.announces: "),
        ("buses: b", "busses: b", "naming.busses: unknown key; did you mean 'buses'?"),
    ],
)
def test_a_naming_service_that_is_not_good_is_named_with_its_key(
    old: str, new: str, expected: str
) -> None:
    with pytest.raises(FederationError) as caught:
        loaded(NAMING.replace(old, new))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("broker: n", "broker: m", "policy.broker: expected a broker of kind nats, found mqtt"),
        ("building: B, ", "", "policy: key 'building' is missing"),
        ("device: pda", "device: ''", "policy.device: "),
        ("{a: ann}", "{x: ann}", "policy.users.x: there is no event service 'x'"),
        ("{b: desk}", "{x: desk}", "policy.devices.x: there is no event service 'x'"),
    ],
)
def test_a_policy_service_that_is_not_good_is_named_with_its_key(
    old: str, new: str, expected: str
) -> None:
    with pytest.raises(FederationError) as caught:
        loaded(POLICY.replace(old, new))
    assert expected in str(caught.value)
